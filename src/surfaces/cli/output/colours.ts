import { createColors } from 'picocolors';

type Paint = (text: string) => string;

/** What a colour means here. Each returns its text unchanged where colours are off. */
export interface Colours {
  readonly good: Paint;
  readonly bad: Paint;
  readonly warning: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
  readonly accent: Paint;
}

export function createColours(isEnabled: boolean): Colours {
  const { green, red, yellow, bold, dim, cyan } = createColors(isEnabled);
  return { good: green, bad: red, warning: yellow, strong: bold, faint: dim, accent: cyan };
}
