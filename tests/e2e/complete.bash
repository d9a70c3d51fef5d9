# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints what bash completes:  bash complete.bash COMPLETIONS WORD...
# The last word is the one at the cursor. --option=value is three words, as readline makes them.
for file in /usr/share/bash-completion/bash_completion "$1"; do
	[ -r "$file" ] && . "$file"
done
shift
complete -W 'alpha --beta' completed-program
COMP_WORDS=(pprofil "$@") COMP_CWORD=$#
COMP_LINE="pprofil $*" COMP_POINT=${#COMP_LINE}
_pprofil pprofil "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
