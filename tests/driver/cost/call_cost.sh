#!/bin/sh
# call_cost.sh PROGRAM: counts by callgrind how many instructions of cupool's own a call costs beyond the raw one, and fails where it is more
# than it was. Each is to come down to 25. Of an allocation, both its calls count: that of the memory and that of its free.

program=$1
goal=25
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
        /^fn=/ { id = $1; sub(/^fn=/, "", id); if (NF > 1) names[id] = $2; name = names[id] }
        /^calls=/ { callee = 1; next }
        /^[0-9+*-]/ { if (!callee && name !~ /^driver_/) sum += $2; callee = 0 }
        END { print sum + 0 }' "$counts"
}

worst=0
# name:calls:the most instructions of our own, with room for what compilers do differently
for work in launch:1:50 copy:1:55 record:1:35 allocate:2:260; do
    name=${work%%:*}
    calls=${work#*:}
    calls=${calls%:*}
    limit=${work##*:}
    wrapped=$(own_instructions "wrapped_$name") && raw=$(own_instructions "raw_$name") || { echo "valgrind cannot run $program"; exit 1; }
    [ "$wrapped" -gt 0 ] && [ "$raw" -gt 0 ] || { echo "nothing was counted of $name"; exit 1; }
    cost=$(((wrapped - raw) / 1000 / calls))
    echo "$name: $((wrapped / 1000 / calls)) instructions a call, raw $((raw / 1000 / calls)): $cost of our own"
    [ "$cost" -le "$goal" ] || echo "    $((cost - goal)) past the goal of $goal"
    [ "$cost" -le "$limit" ] || { echo "    more than the $limit that it was"; worst=1; }
done
exit $worst
