/** Names with values, over those of the shell this one was forked from. */
export interface Layer<T> {
  readonly own: Map<string, T>;
  readonly below: Layer<T> | undefined;
}

export function newLayer<T>(below?: Layer<T>): Layer<T> {
  return { own: new Map(), below };
}

export function lookUp<T>(layer: Layer<T>, name: string): T | undefined {
  for (let at: Layer<T> | undefined = layer; at !== undefined; at = at.below) {
    const value = at.own.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}
