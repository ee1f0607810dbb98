export interface Operands {
  /** Short options by their letter, long ones by their name without dashes. */
  readonly options: ReadonlySet<string>;
  readonly operands: readonly string[];
}

/** Options a program is known with. */
export interface KnownOptions {
  /** Without a value: `'pv'` or `'parents'`. */
  readonly flags: readonly string[];
  /** With a value, which is skipped: `-m 755`, `-m755`, `--mode 755`, `--mode=755`. */
  readonly valued?: readonly string[];
}

/** Tells options and operands apart, as getopt(3) does; undefined when there is an option that is not known. */
export function operandsOf(
  args: readonly string[],
  { flags, valued = [] }: KnownOptions,
): Operands | undefined {
  const options = new Set<string>();
  const operands: string[] = [];
  let isOver = false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (isOver || arg === '-' || !arg.startsWith('-')) {
      operands.push(arg);
      continue;
    }
    if (arg === '--') {
      isOver = true;
      continue;
    }
    const read = arg.startsWith('--') ? readLong(arg, { flags, valued }) : readShort(arg, { flags, valued });
    if (read === undefined) return undefined;
    for (const name of read.names) options.add(name);
    if (read.takesNext) at += 1;
  }
  return { options, operands };
}

type Read = { readonly names: readonly string[]; readonly takesNext: boolean } | undefined;

function readLong(arg: string, { flags, valued = [] }: KnownOptions): Read {
  const [name = '', value] = arg.slice(2).split('=', 2);
  if (name.length < 2) return undefined;
  if (valued.includes(name)) return { names: [name], takesNext: value === undefined };
  return flags.includes(name) && value === undefined ? { names: [name], takesNext: false } : undefined;
}

function readShort(arg: string, { flags, valued = [] }: KnownOptions): Read {
  const names: string[] = [];
  for (let at = 1; at < arg.length; at += 1) {
    const letter = arg.charAt(at);
    if (valued.includes(letter)) return { names: [...names, letter], takesNext: at === arg.length - 1 };
    if (!flags.includes(letter)) return undefined;
    names.push(letter);
  }
  return { names, takesNext: false };
}
