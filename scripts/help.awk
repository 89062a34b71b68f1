# Makes the list that `make help` prints, from the '##' comments of the Makefile.
BEGIN { print "queuecore: make TARGET [VARIABLE=VALUE]..." }
/^##@ / { printf "\n%s\n", substr($0, 5) }
/^[a-z][a-z-]*:.*## / {
    name = $0
    sub(/:.*/, "", name)
    sub(/.*## /, "")
    printf "  %-16s %s\n", name, $0
}
END {
    print "\nVariables"
    print "  PREFIX, DESTDIR  where `install` puts things; LIBDIR (lib) is below PREFIX"
    print "  QUICK=1          a small benchmark run, under a minute, for the daily loop only"
    print "  SUITES=\"a b\"     only some suites of `test`: rust debug tools loom c replay install docs"
    print "  V=1              show all output; otherwise it goes to target/logs"
    print "  JOBS=N           parallel C++ compiles (default: the number of cores)"
    print "  CARGO_TARGET_DIR another build folder than target/"
}
