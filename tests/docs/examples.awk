# awk -f examples.awk PAGE...: one source of the fragments among the ```cpp blocks of the pages.
# awk -v program=1 -f examples.awk README.md: the README's program, which is the block with a main().
#
# All other blocks are fragments. Those of a page are nested scopes of one function, so a fragment sees the names of those before
# it and may declare them again. examples_given.hpp declares the names that a page takes for given, in a namespace of its name.

function name_of(path) {
    sub(/.*\//, "", path)
    sub(/\.md$/, "", path)
    gsub(/[^A-Za-z0-9]/, "_", path)
    return path
}

function end_page() {
    if (depth == 0) return
    for (; depth > 0; --depth) printf "}"
    print "\n}\n}"
}

function end_block(    i) {
    if (is_program && program == "" && FILENAME != "README.md") print "#error " FILENAME ": only the README may have a program"
    if (is_program != (program != "")) return
    if (!is_program && depth == 0) printf "namespace %s {\nvoid fragments() {\n", name_of(FILENAME)
    if (!is_program) {
        print "{"
        ++depth
    }
    printf "#line %d \"%s\"\n", first_line, FILENAME
    for (i = 1; i <= count; ++i) print lines[i]
}

BEGIN {
    if (program == "") print "#include \"examples_given.hpp\"\n"
}
FNR == 1 { end_page() }
in_block && /^```/ {
    end_block()
    in_block = 0
    next
}
in_block {
    lines[++count] = $0
    if (/^int main\(/) is_program = 1
}
/^```cpp$/ {
    in_block = 1
    is_program = 0
    count = 0
    first_line = FNR + 1
}
END { end_page() }
