
# Prints the command on the line, and then its other words before the cursor that are neither options nor their
# arguments.
function __pprofil_words
    set -l words (commandline -opc)
    set -e words[1]
    set -l command run
    if set -q words[1]; and contains -- $words[1] $__pprofil_commands
        set command $words[1]
        set -e words[1]
    end
    echo $command
    set -l takes __pprofil_takes_$command
    set -l ended no
    while set -q words[1]
        if test $ended = no; and contains -- $words[1] $$takes
            set -e words[1]
        else if test $ended = no; and test "$words[1]" = --
            set ended yes
        else if test $ended = yes; or not string match -q -- '-?*' $words[1]
            echo $words[1]
        end
        set -e words[1]
    end
end

# __pprofil_at COMMAND N: are N words of this command before the cursor?
function __pprofil_at
    set -l words (__pprofil_words)
    test "$words[1]" = $argv[1]; and test (count $words) -eq (math $argv[2] + 1)
end

# __pprofil_from COMMAND N: are N words or more?
function __pprofil_from
    set -l words (__pprofil_words)
    test "$words[1]" = $argv[1]; and test (count $words) -gt $argv[2]
end

# __pprofil_options COMMAND: may an option of this command come? Those after a program are the program's.
function __pprofil_options
    set -l words (__pprofil_words)
    test "$words[1]" = $argv[1]; or return 1
    not contains -- $words[1] $__pprofil_wrappers; or not set -q words[2]
end

function __pprofil_first
    test (count (commandline -opc)) -eq 1
end

# __pprofil_of_program SKIPPED COMMAND: the arguments of the program, which comes after so many words
function __pprofil_of_program
    set -l takes __pprofil_takes_$argv[2]
    __fish_complete_subcommand --fcs-skip=$argv[1] $$takes
end
