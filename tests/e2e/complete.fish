# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints what fish completes:  fish --no-config complete.fish COMPLETIONS LINE
source $argv[1]
complete -c completed-program -f -a alpha
complete -c completed-program -l beta
complete -C "pprofil $argv[2]" | string replace -r '\t.*' ''
