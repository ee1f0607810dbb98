import type { CommandNode } from './command-tree.ts';
import { shellData } from './shell-data.ts';

/** A completion script for zsh: to be sourced, or to be put into a folder of `fpath` as `_herma`. */
export function zshScript(root: CommandNode): string {
  return `#compdef herma
# Completion of herma for zsh. To use it: source <(herma completion zsh)
${shellData(root, (name, summary) => `${name.replaceAll(':', '\\:')}:${summary}`)}

__herma_complete_with() {
  local -a list
  case "$1" in
    words:*) list=(\${=1#words:}); compadd -a list ;;
    dynamic:*) list=("\${(@f)$("$words[1]" __complete "\${1#dynamic:}" 2>/dev/null)}"); compadd -a list ;;
    files) _files ;;
    folders) _files -/ ;;
  esac
}

_herma() {
  local at='' awaited='' word name
  local -i i count=0
  local -a names list
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    names=("\${(@f)$(__herma_commands "$at")}")
    names=("\${(@)names%%:*}")
    if [[ -n $awaited ]]; then
      awaited=''
    elif [[ $word == --*=* ]]; then
      continue
    elif [[ $word == -* ]]; then
      awaited=$(__herma_value "$at" "$word")
    elif (( \${names[(Ie)$word]} )); then
      at=\${at:+$at }$word
    else
      count+=1
    fi
  done
  if [[ -n $awaited ]]; then
    __herma_complete_with "$awaited"
  elif [[ $PREFIX == -* ]]; then
    list=("\${(@f)$(__herma_options "$at")}")
    _describe option list
  else
    list=("\${(@f)$(__herma_commands "$at")}")
    [[ -n $list[1] ]] && _describe command list
    __herma_complete_with "$(__herma_argument "$at" "$count")"
  fi
}

if [[ $funcstack[1] == _herma ]]; then
  _herma "$@"
else
  compdef _herma herma
fi
`;
}
