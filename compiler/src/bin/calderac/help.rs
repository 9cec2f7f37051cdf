//! The text of `--help`.

const HEAD: &str = "\
calderac: OpenCL C 1.2, or SPIR-V for OpenCL (binary or text), to Vulkan SPIR-V

usage: calderac [options] FILE...                 (- reads standard input)
       calderac --descriptor-map[=STYLE] FILE     the map of a module, of Caldera's or clspv's, or of a source

Several files are one program: each is compiled, then they are linked.

examples
  calderac saxpy.cl                       saxpy.spv for Caldera's runtime
  calderac saxpy.cl -o - | spirv-dis      to standard output
  calderac kernel.spv -o saxpy.spv        from SPIR-V that declares the capability Kernel
  calderac kernel.spvasm -o saxpy.spv     from its text
  calderac --convert in.spvasm -o in.spv  assembles; --convert --emit=spvasm in.spv disassembles
  calderac kernel.mlir -o saxpy.spv       from MLIR's SPIR-V dialect
  calderac --emit=spvasm saxpy.cl         as text
  calderac --abi=descriptor saxpy.cl -o saxpy.spv && calderac --descriptor-map saxpy.spv
                                          a descriptor for each buffer, as clspv has it, and what goes where

output
  -o FILE               where the result goes; - is standard output (default for text; for spv: FILE.spv beside
                        the source, a.spv for several)
  --emit=KIND           pp | ast | hir | ir | final-ir | spv (default) | spvasm | reflect | map
                        | spec-constants (name and SpecId of those of SPIR-V for OpenCL, or [SpecId,offset,size]
                        of each part)
  --descriptor-map[=STYLE]  --emit=map: newer (default, what clspv-reflection prints) | older | first
                        (what -descriptormap=FILE wrote, later and at first)
  --convert             write the SPIR-V module that is the input, without compiling it (spv | spvasm |
                        mlir: the dialect of MLIR)
  --check               compile, write nothing
  --check=LIST          the kernels check what they do while they run, as with CALDERA_CHECK=LIST: memory,
                        uninitialized, race, barrier, arithmetic | all
  --strip-reflection    without the reflection, for drivers and tools that do not know it
  --stop-after=STAGE    preprocess | parse | sema | lower_hir | passes | emit

language
  -D NAME[=VALUE]  -U NAME  -I DIR  -cl-std=CL1.2  -cl-fast-relaxed-math  -w  -Werror ...
                        every option that clBuildProgram takes
  --options=STRING      all of them in one string, read as clBuildProgram reads it
  --spec-constant=ID=VALUE  the value of a specialization constant of SPIR-V, or of __spirv_SpecConstant(ID, DEFAULT)
                        in OpenCL C: 7, 1.5f (float) or 1.5 (double)

target
  --abi=ABI             physical (default: device addresses) | descriptor (clspv's mapping; the default if one of
                        the options below asks for it)
  --target=NAME         desktop (default of the physical ABI, Vulkan 1.3) | vulkan1.3 | vulkan1.2 (SPIR-V 1.5) |
                        vulkan1.1 (SPIR-V 1.3) | vulkan1.0 (SPIR-V 1.0) | clspv (default of the descriptor ABI:
                        SPIR-V 1.0, the memory model of GLSL) | runtime (the descriptor ABI as Caldera's
                        runtime wants it) | no-int64 (desktop without 64-bit integers)
  --reconvergence=WHICH maximal, subgroup-uniform or core (default): what kernels with sub-groups demand of the device
  --spirv=1.N           SPIR-V version of the output, and of text that states none (else 1.6)

descriptor ABI; the names are clspv's, with one dash or two, values with = or as the next word; [...] is the default
  --behaviour=WHICH     newer (default) | older: -cluster-pod-kernel-args=0 -work-dim=0 -int8=0 -fp64=0, literal
                        samplers only from -samplermap, reqd_work_group_size for all kernels or none, and an error
                        for the types and functions that clspv did not have then
";

const TAIL: &str = "
passes
  --print-before=PASS,... --print-after=PASS,...   IR to standard error ('all' for every pass)
  --skip-pass=PASS,...  --pass-limit=N             for bisection
  --verify              verify after each pass (always so in debug builds)
  --list-passes         the order, and what each does
  --time                milliseconds per stage and pass to standard error

other
  -h, --help            this text
  --version             the version, and the identity of the compiler
  --completions=SHELL   a script with which bash, zsh or fish completes the options

The same input and options give the same output, byte for byte.

exit code: 0 compiled, 1 errors in the program, 2 wrong usage, 3 a file cannot be read or written,
4 internal compiler error
";

/// Returns the whole text.
pub(crate) fn text() -> String {
    format!("{HEAD}{}{TAIL}", caldera_compiler::clspv::help())
}
