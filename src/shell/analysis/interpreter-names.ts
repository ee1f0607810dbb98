const INTERPRETER =
  /^(?:python[\d.]*|pypy[\d.]*|ipython[\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|luajit|Rscript|osascript|tclsh|expect|groovy|julia|elixir|guile|swift|pwsh|powershell)$/;

export function isInterpreter(name: string): boolean {
  return INTERPRETER.test(name);
}
