# Completion of crosspoint for fish.
function __crosspoint_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    if test "$lines[1]" = files
        __fish_complete_path "$current"
    else if set -q lines[2]
        printf '%s\n' $lines[2..-1]
    end
end
complete -c crosspoint -f -a '(__crosspoint_complete)'
