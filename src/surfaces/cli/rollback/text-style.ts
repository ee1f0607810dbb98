import { type Colours, createColours } from '../output/colours.ts';

/** How text about checkpoints is written. */
export interface TextStyle {
  readonly colours: Colours;
  /** Width of the terminal; undefined where nothing is cut. */
  readonly columns: number | undefined;
  /** What a person types here: `herma rollback`, `/rollback`. */
  readonly command: string;
  /** Paths that are named of each kind. */
  readonly maxPaths: number;
}

/** In the chat, which colours and breaks lines itself. */
export const CHAT_STYLE: TextStyle = {
  colours: createColours(false),
  columns: undefined,
  command: '/rollback',
  maxPaths: 20,
};

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
