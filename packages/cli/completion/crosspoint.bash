# Completion of crosspoint for bash.
# bash splits words also at "=" and ":". The words are joined as they stand on the line, and each candidate loses what bash has split off before
# the word that it replaces.
_crosspoint() {
  local rest="${COMP_LINE:0:COMP_POINT}" words=() piece='' trimmed i line kind='' prefix=''
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece="${COMP_WORDS[i]}"
    trimmed="${rest#"${rest%%[![:space:]]*}"}"
    if ((i == 0)) || [[ "$trimmed" != "$rest" || "${#words[@]}" -eq 0 ]]; then words+=(''); fi
    [[ "${#piece}" -gt "${#trimmed}" ]] && piece="$trimmed"
    words[${#words[@]}-1]+="$piece"
    rest="${trimmed#"$piece"}"
  done
  local current="${words[${#words[@]}-1]}"
  if [[ "$piece" =~ ^[=:]+$ ]]; then prefix="$current"; else prefix="${current%"$piece"}"; fi
  while IFS= read -r line; do
    if [[ -z "$kind" ]]; then kind="$line"; continue; fi
    [[ "$line" == *[=/#] ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("${line#"$prefix"}")
  done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
  [[ "$kind" == files ]] && compopt -o default 2>/dev/null
  return 0
}
complete -F _crosspoint crosspoint
