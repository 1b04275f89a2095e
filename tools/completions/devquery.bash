# Made by tools/regenerate_completions.py of devquery --help.
_devquery() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb= words= i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${COMP_WORDS[i]} in
            doctor | topo | bw | selftest | watch | workers)
                verb=${COMP_WORDS[i]}
                break
                ;;
        esac
    done
    COMPREPLY=()
    case $verb,$previous in
        doctor,--save | doctor,--from | doctor,--facts)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        doctor,--root | doctor,--simulator)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            return
            ;;
        doctor,--timeout | bw,--devices | bw,--size | bw,--runs | selftest,--devices | selftest,--memory | selftest,--seconds | watch,--devices | watch,--interval | watch,--count) return ;;
    esac
    case $verb in
        doctor) words='--help --json --save --from --root --facts --timeout --simulator' ;;
        topo) words='--help --json' ;;
        bw) words='--help --devices --size --runs --json' ;;
        selftest) words='--help --devices --memory --seconds --json' ;;
        watch) words='--help --devices --interval --count --json' ;;
        workers) words='--help --json' ;;
        *) words='doctor topo bw selftest watch workers --help --version --all --json --csv --verbose' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _devquery devquery
