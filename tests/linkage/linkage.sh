#!/bin/sh
# linkage.sh tool|library FILE: fails when FILE needs a shared library beyond the C library's (a library: and the compiler's).
set -eu

kind=$1
file=$2

allowed='linux-vdso|ld-linux[^ ]*|libc|libm|libdl|libpthread|librt'
if [ "$kind" = library ]; then
    allowed="$allowed|libstdc\+\+|libgcc_s|libcupool-[a-z]+"
fi

needed=$(ldd "$file" | sed -E 's/^[[:space:]]*//; s/ .*//; s|^.*/||' | sort)
foreign=$(echo "$needed" | grep -Ev "^($allowed)\.so(\.[0-9.]+)?\$" | paste -sd ' ' || true)
if [ -n "$foreign" ]; then
    echo "$file needs: $foreign"
    exit 1
fi
echo "$file needs no more than the C library and, a library, the compiler's"
