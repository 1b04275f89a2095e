#!/bin/sh
# call_cost.sh PROGRAM LIMIT: counts by callgrind how many instructions of cupool's own a call costs beyond the raw one, and fails where it
# is more than the limit. Of an allocation, both its calls count: that of the memory and that of its free.

program=$1
limit=$2
if ! command -v valgrind >/dev/null; then
    echo "skipped: there is no valgrind"
    exit 4
fi
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT

# own_instructions FUNCTION: of the function and what it calls, without the driver's.
own_instructions() {
    valgrind --tool=callgrind --callgrind-out-file="$counts" --toggle-collect="$1" "$program" >/dev/null 2>&1 || return 1
    awk '
        /^c?fn=/ { id = $1; sub(/^c?fn=/, "", id); if (NF > 1) names[id] = $2 }  # a name stands where it comes first
        /^fn=/ { name = names[id] }
        /^calls=/ { callee = 1; next }
        /^[0-9+*-]/ { if (!callee && name !~ /^driver_/) sum += $2; callee = 0 }
        END { print sum + 0 }' "$counts"
}

outside_the_loop=100
worst=0
for work in launch:1 copy:1 record:1 allocate:2; do  # name:calls
    name=${work%%:*}
    calls=${work#*:}
    wrapped=$(own_instructions "wrapped_$name") && raw=$(own_instructions "raw_$name") || { echo "valgrind cannot run $program"; exit 1; }
    [ "$wrapped" -gt 0 ] && [ "$raw" -gt 0 ] || { echo "nothing was counted of $name"; exit 1; }
    cost=$((wrapped - raw))
    awk -v name="$name" -v wrapped="$wrapped" -v raw="$raw" -v calls="$calls" 'BEGIN { printf "%s: %.1f instructions a call, raw %.1f: %.1f of our own\n",
        name, wrapped / 1000 / calls, raw / 1000 / calls, (wrapped - raw) / 1000 / calls }'
    [ "$cost" -le "$((limit * 1000 * calls + outside_the_loop))" ] || { echo "    more than $limit"; worst=1; }
done
exit $worst
