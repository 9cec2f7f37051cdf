//! Conditions, early exits and loops that nest deeper than some drivers support: llvmpipe supports 80 levels, and
//! its results are wrong beyond that. Each test generates a kernel and computes the expected results on the host.

use std::ptr::{null, null_mut};

use crate::common::{self, CL_BUILD_PROGRAM_FAILURE, CL_SUCCESS};
use crate::lab::{Arg, Lab};
use crate::{cl, query_text};

const ITEMS: usize = 256;
const GROUP: usize = 16;

/// Runs the kernel `k` with one result for each work-item.
fn check(what: &str, body: &str, expected: impl Fn(i32) -> i32) {
    let lab = Lab::new();
    let source = format!("kernel void k(global int *o) {{ int i = get_global_id(0); int s = 0; {body} }}");
    let program = lab.build(&source);
    let results = lab.run(program, "k", ITEMS, Some(GROUP), &[Arg::Out(ITEMS * 4)]);
    for (i, bytes) in results[0].chunks_exact(4).enumerate() {
        let found = i32::from_le_bytes(bytes.try_into().expect("four bytes"));
        assert_eq!(found, expected(i as i32), "{what}: work-item {i}");
    }
    assert_eq!(cl!(clReleaseProgram(program)), CL_SUCCESS);
}

/// Returns the concatenated texts for the numbers below `count`.
fn each(count: i32, text: impl Fn(i32) -> String) -> String {
    (0..count).map(text).collect()
}

#[test]
fn else_ifs() {
    for n in [100, 200, 500, 1000] {
        let links = each(n, |j| format!("if (i == {}) s = {}; else ", j * 7 % n, j * 3));
        check(
            &format!("{n} else-ifs"),
            &format!("{links} s = -1; o[i] = s;"),
            |i| {
                let link = (0..n).find(|j| j * 7 % n == i);
                link.map_or(-1, |j| j * 3)
            },
        );
    }
}

#[test]
fn early_returns() {
    let n = 100;
    let body = each(n, |j| {
        format!("if (i * 3 < {}) {{ o[i] = {j}; return; }}", j * 5 + 1)
    });
    check("returns", &format!("{body} o[i] = -1;"), |i| {
        (0..n).find(|j| i * 3 < j * 5 + 1).unwrap_or(-1)
    });
}

#[test]
fn breaks_and_continues() {
    let n = 100;
    for (word, again) in [("break", false), ("continue", true)] {
        let links = each(n, |j| {
            format!(
                "s += r + {j}; if ((i + r) * 3 < {}) {{ s += {j}; {word}; }}",
                j * 5 + 1
            )
        });
        let body = format!("for (int r = 0; r < 3; r++) {{ {links} s += 1000; }} o[i] = s;");
        check(word, &body, |i| {
            let mut s = 0;
            for r in 0..3 {
                let stop = (0..n).find(|j| (i + r) * 3 < j * 5 + 1);
                s += (0..n)
                    .take_while(|&j| Some(j) <= stop || stop.is_none())
                    .map(|j| r + j)
                    .sum::<i32>();
                s += stop.unwrap_or(1000);
                if stop.is_some() && !again {
                    break;
                }
            }
            s
        });
    }
}

/// `break`, `continue`, `goto` out of one loop and out of two loops, and `return`, one after the other.
#[test]
fn jumps_out_of_nested_loops() {
    let n = 90;
    let jump = |j: i32| match j % 5 {
        0 => "break",
        1 => "goto next",
        2 => "goto out",
        3 => "continue",
        _ => "{ o[i] = s; return; }",
    };
    // The trip counts of the loops below are not known at compile time.
    let links = each(n, |j| {
        format!(
            "s += r; if ((i + r + q) * 3 < {}) {{ s += {j}; {}; }}",
            j * 5 + 1,
            jump(j)
        )
    });
    let body = format!(
        "for (int q = 0; q < i % 3 + 1; q++) {{
            for (int r = 0; r < i % 5 + 1; r++) {{ {links} s += 1000; }}
            s += 7;
            next: s += q;
        }}
        out: o[i] = s + 1;"
    );
    check("jumps", &body, |i| {
        let mut s = 0;
        'out: for q in 0..i % 3 + 1 {
            'next: {
                'turns: for r in 0..i % 5 + 1 {
                    for j in 0..n {
                        s += r;
                        if (i + r + q) * 3 < j * 5 + 1 {
                            s += j;
                            match j % 5 {
                                0 => break 'turns,
                                1 => break 'next,
                                2 => break 'out,
                                3 => continue 'turns,
                                _ => return s,
                            }
                        }
                    }
                    s += 1000;
                }
                s += 7;
            }
            s += q;
        }
        s + 1
    });
}

/// Each `if` is inside the previous one. Statements and returns follow the inner `if`.
#[test]
fn conditions_in_conditions() {
    let n = 150;
    let open = each(n, |j| format!("if (i != {j}) {{ s += {j}; "));
    let close = each(n, |k| {
        let j = n - 1 - k;
        format!(
            "s = (s * 3 + {j}) % 9973; if (s % {} == 3) {{ o[i] = s; return; }} }} else s += {j};",
            j + 50
        )
    });
    check("conditions", &format!("{open} {close} o[i] = s;"), |i| {
        let mut s = 0;
        let stop = (0..n).find(|&j| i == j);
        for j in 0..stop.unwrap_or(n) {
            s += j;
        }
        if let Some(j) = stop {
            s += j;
        }
        for j in (0..stop.unwrap_or(n)).rev() {
            s = (s * 3 + j) % 9973;
            if s % (j + 50) == 3 {
                return s;
            }
        }
        s
    });
}

/// One `switch` with returns in its cases, and several such statements one after the other.
#[test]
fn switches_with_returns() {
    let n = 100;
    let cases = each(n, |j| {
        let end = if j % 3 == 0 { "break;" } else { "" };
        format!(
            "case {j}: if (i < {n}) {{ o[i] = {}; return; }} s += {j}; {end}",
            j * 3
        )
    });
    let body = format!("switch (i % {}) {{ {cases} default: s += 5; }} o[i] = s;", n + 3);
    check("cases", &body, |i| {
        let mut s = 0;
        let mut at = i % (n + 3);
        if at < n && i < n {
            return at * 3;
        }
        loop {
            if at >= n {
                return s + 5;
            }
            s += at;
            if at % 3 == 0 {
                return s;
            }
            at += 1;
        }
    });
    let switches = each(n, |j| {
        format!(
            "switch ((i + {j}) % {}) {{ case 5: o[i] = {j} + s; return; case 7: s += 3; break; default: s += i; }}",
            n + 7
        )
    });
    check("switches", &format!("{switches} o[i] = s;"), |i| {
        let mut s = 0;
        for j in 0..n {
            match (i + j) % (n + 7) {
                5 => return j + s,
                7 => s += 3,
                _ => s += i,
            }
        }
        s
    });
}

/// The code after a loop or block that a `return` can leave also nests.
#[test]
fn loops_and_blocks_with_returns() {
    let n = 90;
    let loops = each(n, |j| {
        format!(
            "for (int r = 0; r < i % 7; r++) {{ s += r * {j}; if ((s + i) % {} == {}) {{ o[i] = s; return; }} }}",
            j + 11,
            j + 2
        )
    });
    check("loops", &format!("{loops} o[i] = s;"), |i| {
        let mut s = 0;
        for j in 0..n {
            for r in 0..i % 7 {
                s += r * j;
                if (s + i) % (j + 11) == j + 2 {
                    return s;
                }
            }
        }
        s
    });
    let blocks = each(n, |j| {
        format!(
            "do {{ if (s % {} == 1) {{ if ((s + {j}) % {} == 1) break; s += 3; if (s % {} == {j}) {{ o[i] = s; return; }} }} s += i; }} while (0);",
            j + 2,
            3 * j + 4,
            j + 3
        )
    });
    check("blocks", &format!("{blocks} o[i] = s;"), |i| {
        let mut s = 0;
        for j in 0..n {
            if s % (j + 2) == 1 {
                if (s + j) % (3 * j + 4) == 1 {
                    continue;
                }
                s += 3;
                if s % (j + 3) == j {
                    return s;
                }
            }
            s += i;
        }
        s
    });
}

/// Deep chains of else-ifs in nested loops.
#[test]
fn chains_in_nested_loops() {
    let n = 60;
    let chain = |name: &str, inner: &str| {
        let links = each(n, |j| format!("if ((i + {name}) % {n} == {j}) s += {j}; else "));
        format!("{links} {{ s += 1; {inner} }}")
    };
    let inner = format!("for (int b = 0; b < i % 3 + 1; b++) {{ {} }}", chain("b * 5", ""));
    let body = format!(
        "for (int a = 0; a < i % 4 + 1; a++) {{ {} {inner} }} o[i] = s;",
        chain("a * 7", &inner)
    );
    // A link of the chain always matches.
    check("chains", &body, |i| {
        let inner = || (0..i % 3 + 1).map(|b| (i + b * 5) % n).sum::<i32>();
        (0..i % 4 + 1).map(|a| (i + a * 7) % n + inner()).sum()
    });
}

/// Barriers that all work-items of a group reach, deep in a chain of uniform conditions.
#[test]
fn barriers_in_uniform_chains() {
    let n = 100;
    let links = each(n, |j| {
        format!(
            "if (g == {j} % {groups}) {{ t[l] += {j}; barrier(CLK_LOCAL_MEM_FENCE); s = t[(l + {j}) % {GROUP}]; barrier(CLK_LOCAL_MEM_FENCE); }} else ",
            groups = ITEMS / GROUP
        )
    });
    let nested = each(n, |j| {
        format!(
            "if (g + {j} != 7) {{ t[l] = s + {j}; barrier(CLK_LOCAL_MEM_FENCE); s = (s + t[(l + 1) % {GROUP}]) % 9973; barrier(CLK_LOCAL_MEM_FENCE); "
        )
    });
    let body = format!(
        "int l = get_local_id(0), g = get_group_id(0); local int t[{GROUP}]; t[l] = i; barrier(CLK_LOCAL_MEM_FENCE);
        {links} s = 0; {nested} {} o[i] = s;",
        "}".repeat(n as usize)
    );
    check("barriers", &body, |i| {
        let (group, l) = (i / GROUP as i32, i % GROUP as i32);
        let first = |l: i32| group * GROUP as i32 + (l + group) % GROUP as i32 + group;
        let mut all: Vec<i32> = (0..GROUP as i32).map(first).collect();
        for j in 0..n {
            if group + j == 7 {
                break;
            }
            let t: Vec<i32> = all.iter().map(|s| s + j).collect();
            all = (0..GROUP).map(|l| (all[l] + t[(l + 1) % GROUP]) % 9973).collect();
        }
        all[l as usize]
    });
}

/// Loops that nest too deep for the driver cannot be transformed, so the build fails with an error.
#[test]
fn nested_loops() {
    for n in [60, 100] {
        let open = each(n, |j| {
            format!("for (int a{j} = 0; a{j} < 1 + ((i + {j}) % 200 == 0); a{j}++) {{ s += {j}; ")
        });
        let source = format!(
            "kernel void k(global int *o) {{ int i = get_global_id(0); int s = 0; {open} {} o[i] = s; }}",
            "s = (s * 3 + 1) % 9973; }".repeat(n as usize)
        );
        let lab = Lab::new();
        let device = lab.setup.device;
        let name = query_text!(clGetDeviceInfo(device; common::CL_DEVICE_NAME));
        let program = lab.setup.program(&source);
        let code = cl!(clBuildProgram(program, 1, &device, null(), None, null_mut()));
        if name.contains("llvmpipe") && n > 79 {
            assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
            let log = lab.setup.log(program);
            assert!(
                log.contains("error: nesting of loops (100) exceeds the limit of 79"),
                "{log}"
            );
        } else {
            assert_eq!(code, CL_SUCCESS);
            let results = lab.run(program, "k", ITEMS, Some(GROUP), &[Arg::Out(ITEMS * 4)]);
            for (i, bytes) in results[0].chunks_exact(4).enumerate() {
                let found = i32::from_le_bytes(bytes.try_into().expect("four bytes"));
                assert_eq!(found, loops(i as i32, n, 0, 0), "{n} loops: work-item {i}");
            }
        }
        assert_eq!(cl!(clReleaseProgram(program)), CL_SUCCESS);
    }
}

/// Computes the effect of the nested loops from number `j` on.
fn loops(i: i32, n: i32, j: i32, mut s: i32) -> i32 {
    if j == n {
        return s;
    }
    for _ in 0..1 + i32::from((i + j) % 200 == 0) {
        s = (loops(i, n, j + 1, s + j) * 3 + 1) % 9973;
    }
    s
}
