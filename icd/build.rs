//! Link options of `libcaldera.so`.

fn main() {
    // Behind the OpenCL loader both libraries define clGetPlatformInfo and the rest. The dispatch table must hold
    // our own functions, not the loader's, which would call themselves for ever.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    println!("cargo:rerun-if-changed=build.rs");
}
