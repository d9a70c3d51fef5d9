# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints what zsh completes:  zsh -f complete.zsh DIRECTORY LINE
# DIRECTORY has the file _pprofil. What compinit finds is kept there in the file dump. A second zsh, on a terminal of
# zpty, gets the line and a tab. In it compadd also writes the matches to a file.
zmodload zsh/zpty || exit 1
matches=$(mktemp)
zpty completing zsh -f -i
zpty -w completing "fpath=(${(q)1} \$fpath) matches=$matches; stty columns 500"
zpty -w completing "autoload -U compinit && compinit -C -d ${(q)1}/dump"
zpty -w completing 'zstyle ":completion:*" insert-tab false; bindkey "^I" complete-word'
zpty -w completing 'compdef "_arguments --beta \"1:word:(alpha)\"" completed-program'
zpty -w completing 'finished() { : >$matches.all }; comppostfuncs=(finished)'
zpty -w completing 'compadd() {
  local -a matched
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    builtin compadd -A matched "${(@)@:#-E<->}"
    (( $#matched )) && print -rl -- $matched >>$matches
  fi
  builtin compadd "$@"
}'
zpty -w completing 'echo RE""ADY'
zpty -m -r completing output '*READY*' || exit 1
zpty -n -w completing "pprofil $2"$'\t'
until [[ -e $matches.all ]]; do
  zpty -rt completing output # or the terminal would become full
  sleep 0.02
done
zpty -d completing
cat $matches
rm -f $matches $matches.all
