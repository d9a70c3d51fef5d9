
# Adds to COMPREPLY what compgen prints. A file name may have blanks and stars.
_pprofil_reply() {
    local line
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen "$@")
}

# _pprofil_add VALUES CUR: adds to COMPREPLY the values that begin with CUR. VALUES are words, and kinds with an @.
# @comma is the first: only the part of CUR behind its last comma is completed.
_pprofil_add() {
    local value before='' words=() pids=()
    for value in $1; do
        case $value in
            @comma) [[ $2 == *,* ]] && before=${2%,*}, ;;
            @files)
                compopt -o filenames 2>/dev/null
                _pprofil_reply -f -- "$2"
                ;;
            @directories)
                compopt -o filenames 2>/dev/null
                _pprofil_reply -d -- "$2"
                ;;
            @commands)
                [[ $2 == */* ]] && compopt -o filenames 2>/dev/null
                _pprofil_reply -c -- "$2"
                ;;
            @pids)
                pids=(/proc/[0-9]*)
                _pprofil_reply -P "$before" -W "${pids[*]#/proc/}" -- "${2#"$before"}"
                ;;
            *) words+=("$value") ;;
        esac
    done
    _pprofil_reply -P "$before" -W "${words[*]}" -- "${2#"$before"}"
}

# _pprofil_takes COMMAND WORD: prints the option among the letters or in the word that takes the next word as its
# argument, as in "run -p".
_pprofil_takes() {
    local i word=$2
    if [[ $word == --* ]]; then
        [[ ${_pprofil_arguments["$1 $word"]+set} ]] && echo "$1 $word"
        return
    fi
    for ((i = 1; i < ${#word}; i++)); do
        if [[ ${_pprofil_arguments["$1 -${word:i:1}"]+set} ]]; then
            ((i + 1 == ${#word})) && echo "$1 -${word:i:1}"
            return
        fi
    done
}

# Completes the arguments of the program, which is this word of the command line.
_pprofil_of_program() {
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$1"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    else
        _pprofil_add @files "${COMP_WORDS[COMP_CWORD]}"
    fi
}

_pprofil() {
    local IFS=$' \t\n' i word cur last command=run first=1 takes='' ended='' operands=0
    local -a words=() places=() kinds=()
    COMPREPLY=()
    # readline makes three words of --option=value
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]} last=${#words[@]}
        if ((last > 1)) && [[ ${words[last - 1]} == --* && $word == = || ${words[last - 1]} == --*= ]]; then
            words[last - 1]+=$word
        else
            words+=("$word") places+=("$i")
        fi
    done
    last=$((${#words[@]} - 1))
    cur=${words[last]}
    if ((last > 1)) && [[ " $_pprofil_commands " == *" ${words[1]} "* ]]; then
        command=${words[1]} first=2
    fi
    for ((i = first; i < last; i++)); do
        word=${words[i]}
        if [[ $takes ]]; then
            takes=''
        elif [[ $ended || $word != -?* ]]; then
            if [[ ${_pprofil_operands[$command]} == @program ]]; then
                _pprofil_of_program "${places[i]}"
                return
            fi
            operands=$((operands + 1))
        elif [[ $word == -- ]]; then
            ended=1
        elif [[ $word != --*=* ]]; then
            takes=$(_pprofil_takes "$command" "$word")
        fi
    done
    if [[ $takes ]]; then
        _pprofil_add "${_pprofil_arguments[$takes]}" "$cur"
    elif [[ ! $ended && $cur == --*=* ]]; then
        _pprofil_add "${_pprofil_arguments["$command ${cur%%=*}"]}" "${cur#*=}"
    elif [[ ! $ended && $cur == -* ]]; then
        _pprofil_add "${_pprofil_options[$command]}" "$cur"
    elif [[ ${_pprofil_operands[$command]} == @program ]]; then
        ((last == 1)) && _pprofil_add "$_pprofil_commands" "$cur"
        _pprofil_add @commands "$cur"
    else
        IFS=';' read -r -a kinds <<<"${_pprofil_operands[$command]}"
        # the last one may be repeated
        [[ ${kinds[*]: -1} == ... ]] && ((operands >= ${#kinds[@]} - 1)) && operands=$((${#kinds[@]} - 2))
        _pprofil_add "${kinds[operands]}" "$cur"
    fi
}

complete -F _pprofil pprofil
