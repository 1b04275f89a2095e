#!/bin/sh
# reference.sh SOURCES SCRATCH: makes the reference by docs/Doxyfile and fails where a public symbol of any layer has no description.
# Exempt are what all owners share (moves, conversions to their views), and the members in abi/, which are CUDA's own by number.

if ! command -v doxygen >/dev/null; then
    echo "skipped: there is no doxygen"
    exit 4
fi
cd "$1" || exit 1
warnings=$2/warnings.txt
(cat docs/Doxyfile && echo "OUTPUT_DIRECTORY = $2" && echo "WARN_LOGFILE = $warnings" && echo "GENERATE_HTML = NO" && echo "GENERATE_XML = YES") | doxygen - || exit 1
[ -d "$2/xml" ] || { echo "doxygen made nothing"; exit 1; }
if awk '
    !/ is not documented\.$/ { next }
    /\/abi\/[a-z_]+\.hpp:[0-9]+: warning: Member/ { next }
    /warning: The following parameter/ { next }
    /Member operator/ { next }
    / \(function\) of (class|struct) / {
        member = $0; sub(/.*Member /, "", member); sub(/\(.*/, "", member)
        owner = $0; sub(/.* \(function\) of (class|struct) /, "", owner); sub(/ is not documented\.$/, "", owner); sub(/ *<.*/, "", owner); sub(/.*::/, "", owner)
        if (member == owner) next
    }
    { print; found = 1 }
    END { exit !found }' "$warnings"; then
    exit 1
fi
