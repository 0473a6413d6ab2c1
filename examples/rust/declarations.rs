//! A part of build.rs: the module sys, from the table declarations.txt, which has the calls, constants and types of
//! freeridge.h, one a line; its head says how.

/// The text of the module.
pub fn module(table: &str) -> String {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| item(&line.split(' ').collect::<Vec<_>>())).collect()
}

fn item(words: &[&str]) -> String {
    match words {
        ["handle", name] => format!("#[repr(C)]\npub struct {name} {{\n    _private: [u8; 0],\n}}\n"),
        ["number", name, kind] => format!("pub type {name} = {};\n", rust(kind)),
        ["callback", name, result, arguments @ ..] => {
            let function = format!("unsafe extern \"C\" fn({}){}", list(arguments, ""), returned(result));
            format!("pub type {name} = Option<{function}>;\n")
        }
        ["struct", name, fields @ ..] => {
            let sized = fields.first() == Some(&"size:int64_t");
            let size = if sized { "size: std::mem::size_of::<Self>() as i64, " } else { "" };
            let fields = list(fields, "pub ");
            format!(
                "#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {name} {{ {fields} }}\n\
                 /// Its size, zeros, and NULL.\n\
                 impl Default for {name} {{ fn default() -> Self {{\n    \
                 Self {{ {size}..unsafe {{ std::mem::zeroed() }} }}\n}} }}\n"
            )
        }
        ["constant", name, kind, value] => format!("pub const {name}: {} = {value};\n", rust(kind)),
        ["call", name, result, arguments @ ..] => {
            let c_arguments = arguments.iter().map(|word| pair(word)).map(|(name, kind)| format!("{} {name}", c(kind)));
            let c_arguments = c_arguments.collect::<Vec<_>>().join(", ");
            format!(
                "extern \"C\" {{\n    /// `{} {name}({})`\n    pub fn {name}({}){};\n}}\n",
                c(result),
                if c_arguments.is_empty() { "void" } else { &c_arguments },
                list(arguments, ""),
                returned(result)
            )
        }
        _ => panic!("declarations.txt has a line that is not understood: {}", words.join(" ")),
    }
}

/// "name:type" in two.
fn pair(word: &str) -> (&str, &str) {
    word.split_once(':').unwrap_or_else(|| panic!("declarations.txt: {word} is not name:type"))
}

fn list(words: &[&str], visibility: &str) -> String {
    let entry = |word: &&str| {
        let (name, kind) = pair(word);
        format!("{visibility}{name}: {}", rust(kind))
    };
    words.iter().map(entry).collect::<Vec<_>>().join(", ")
}

fn returned(kind: &str) -> String {
    if kind == "void" {
        String::new()
    } else {
        format!(" -> {}", rust(kind))
    }
}

/// A type in Rust.
fn rust(kind: &str) -> String {
    if let Some(target) = kind.strip_prefix('&') {
        return format!("*const {}", rust(target));
    }
    if let Some(target) = kind.strip_prefix('*') {
        return format!("*mut {}", rust(target));
    }
    match kind {
        "double" => "f64",
        "int32_t" => "i32",
        "int64_t" => "i64",
        "char" => "std::os::raw::c_char",
        "void" => "std::os::raw::c_void",
        name => name,
    }
    .to_string()
}

/// A type in C.
fn c(kind: &str) -> String {
    match (kind.strip_prefix('*'), kind.strip_prefix('&')) {
        (Some(target), _) => format!("{}*", c(target)),
        (_, Some(target)) if target.starts_with(['*', '&']) => format!("{} const*", c(target)),
        (_, Some(target)) => format!("const {target}*"),
        _ => kind.to_string(),
    }
}
