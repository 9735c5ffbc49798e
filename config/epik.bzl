"""How the parts that live inside the measured program are compiled."""

# Nothing visible by accident, no exceptions or RTTI crossing into the program, thread data one instruction away.
RUNTIME_COPTS = [
    "-fPIC",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-ftls-model=initial-exec",
    "-fno-stack-protector",
    "-fno-tree-slp-vectorize",
    "-fomit-frame-pointer",
    "-O2",
]
