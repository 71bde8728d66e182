#compdef crosspoint
# Completion of crosspoint for zsh.
_crosspoint() {
  local -a lines plain open typed
  local line
  typed=("${(@Q)words[2,CURRENT-1]}" "$PREFIX")
  lines=("${(@f)$("${words[1]}" __complete "${typed[@]}" 2>/dev/null)}")
  if [[ "${lines[1]}" == files ]]; then _files; return; fi
  for line in "${(@)lines[2,-1]}"; do
    if [[ "$line" == *[=/\#] ]]; then open+=("$line"); elif [[ -n "$line" ]]; then plain+=("$line"); fi
  done
  (( ${#plain} )) && compadd -- "${plain[@]}"
  (( ${#open} )) && compadd -S '' -- "${open[@]}"
  (( ${#plain} + ${#open} ))
}
if [[ "${funcstack[1]}" == _crosspoint ]]; then _crosspoint "$@"; else compdef _crosspoint crosspoint; fi
