const DEFAULT_GRACE_MS = 120_000;
const USUAL_GRACES_MS: ReadonlyMap<string, number> = new Map([
  ['terminal', 900_000],
  ['delegate_task', 1_800_000],
]);

/** How long a call of a tool may stay open before it counts as lost, in milliseconds. `configured`: in seconds, by tool. */
export function graceOf(
  tool: string,
  configured: { readonly graceSeconds?: number; readonly byTool: ReadonlyMap<string, number> },
): number {
  const seconds = configured.byTool.get(tool);
  if (seconds !== undefined) return seconds * 1000;
  const usual = USUAL_GRACES_MS.get(tool);
  if (usual !== undefined) return usual;
  return configured.graceSeconds === undefined ? DEFAULT_GRACE_MS : configured.graceSeconds * 1000;
}
