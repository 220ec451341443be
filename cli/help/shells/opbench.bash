# SPDX-License-Identifier: Apache-2.0
#
# Completion of opbench for bash (4.3 or later): asks the program, which knows all of it. See docs/install.md.

# Without the marks by which a shell keeps a word together.
_opbench_plain() {
    plain=${1//[\'\"\\]/}
    [[ $1 == '~/'* ]] && plain=$HOME/${plain:2}
    return 0
}

_opbench() {
    # Bash takes ":" and "=" for words of their own; what no blank parts is one word.
    local rest=${COMP_LINE:0:COMP_POINT} words=() word blanks plain i
    for ((i = 0; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        blanks=${rest%%"$word"*}
        rest=${rest#"$blanks$word"}
        if [[ -z $blanks && ${#words[@]} -gt 0 ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    word=${rest#"${rest%%[! ]*}"}
    if [[ $word == "$rest" && ${#words[@]} -gt 1 ]]; then
        words[-1]+=$word
    else
        words+=("$word")
    fi
    for ((i = 0; i < ${#words[@]}; i++)); do
        _opbench_plain "${words[i]}"
        words[i]=$plain
    done

    # What bash does not replace: all but the word of its own that the cursor is in.
    local current=$plain front=0 answer=() files=()
    _opbench_plain "$2"
    ((front = ${#current} - ${#plain})) || true
    mapfile -t answer < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)
    COMPREPLY=()
    for word in "${answer[@]}"; do
        case $word in
        :files*) mapfile -t files < <(compgen -f -- "$plain") ;;
        :folders*) mapfile -t files < <(compgen -d -- "$plain") ;;
        *) COMPREPLY+=("${word%%$'\t'*}") ;;
        esac
    done
    # A case has "|" in its name, which must not become a pipe. Readline quotes names of files by itself.
    for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
        word=${COMPREPLY[i]:front}
        if [[ ${#files[@]} -eq 0 && $word == *[!a-zA-Z0-9_.:,=/+@%-]* && ${COMP_WORDS[COMP_CWORD]} != [\'\"]* ]]; then
            printf -v word %q "$word"
        fi
        COMPREPLY[i]=$word
    done
    if [[ ${#files[@]} -gt 0 ]]; then
        compopt -o filenames 2>/dev/null || true
        COMPREPLY+=("${files[@]}")
    fi
    # More of a list may follow.
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=,] ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -F _opbench opbench
