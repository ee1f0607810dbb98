import type { CommandNode } from './command-tree.ts';
import { shellData } from './shell-data.ts';

/** A completion script for bash 3.2 and newer, to be sourced. Needs no other package. */
export function bashScript(root: CommandNode): string {
  return `# Completion of herma for bash. To use it: source <(herma completion bash)
${shellData(root, (name) => name)}

__herma_is_command() {
  local name
  for name in $(__herma_commands "$1"); do
    [[ $name == "$2" ]] && return 0
  done
  return 1
}

__herma_complete_with() {
  local kind=$1 current=$2
  case "$kind" in
    words:*)
      kind=\${kind#words:}
      COMPREPLY=($(compgen -W "\${kind// /$'\\n'}" -- "$current"))
      ;;
    dynamic:*) COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" __complete "\${kind#dynamic:}" 2>/dev/null)" -- "$current")) ;;
    files) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")) ;;
    folders) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")) ;;
  esac
}

_herma() {
  local current=\${COMP_WORDS[COMP_CWORD]} at='' awaited='' count=0 word kind i IFS=$'\\n'
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $awaited ]]; then
      awaited=''
    elif [[ $word == -* ]]; then
      awaited=$(__herma_value "$at" "$word")
    elif __herma_is_command "$at" "$word"; then
      at=\${at:+$at }$word
    else
      count=$((count + 1))
    fi
  done
  [[ $current == '=' ]] && current=''
  if [[ -n $awaited ]]; then
    __herma_complete_with "$awaited" "$current"
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$(__herma_options "$at")" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$(__herma_commands "$at")" -- "$current"))
    if [[ \${#COMPREPLY[@]} -eq 0 ]]; then
      kind=$(__herma_argument "$at" "$count")
      __herma_complete_with "$kind" "$current"
    fi
  fi
}

complete -F _herma herma
`;
}
