# SPDX-License-Identifier: Apache-2.0
#
# Completion of opbench for fish: asks the program, which knows all of it. See docs/install.md.

function __opbench_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string replace -r '^[\'"]' '' | string unescape)
    for line in ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files*'
                set -l kept (string replace -r '^:files ' '' -- $line)
                for path in (__fish_complete_path (string sub -s (math (string length -- $kept) + 1) -- $current))
                    printf '%s%s\n' $kept $path
                end
            case ':folders*'
                set -l kept (string replace -r '^:folders ' '' -- $line)
                for path in (__fish_complete_directories (string sub -s (math (string length -- $kept) + 1) -- $current))
                    printf '%s%s\n' $kept $path
                end
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c opbench -f -a '(__opbench_complete)'
