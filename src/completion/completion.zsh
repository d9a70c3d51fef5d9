
_pprofil_first() {
  if (( CURRENT == 2 )); then
    _alternative 'commands:pprofil command:_pprofil_commands' 'programs:program:_command_names -e'
  else
    _command_names -e
  fi
}

# Processes by number, and how they are called.
_pprofil_pids() {
  local -a processes
  local directory name
  for directory in /proc/<->(N); do
    read -r name <$directory/comm && processes+=("$directory:t:$name")
  done 2>/dev/null
  _describe -t processes process processes
}

_pprofil_program() {
  _command_names -e
}

_pprofil() {
  local curcontext=$curcontext command=run state line
  local -a specs
  typeset -A opt_args
  if (( CURRENT > 2 && ${_pprofil_names[(I)$words[2]]} )); then
    command=$words[2]
    shift words
    (( CURRENT-- ))
    curcontext="${curcontext%:*}-$command:"
  fi
  _pprofil_specs $command
  _arguments -s -S : $specs
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _pprofil "$@"
else # sourced
  compdef _pprofil pprofil
fi
