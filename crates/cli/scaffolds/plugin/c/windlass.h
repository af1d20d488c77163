// Windlass plugin interface for C, without any library. Include it in one source file, which defines `PLUGIN` and `run`.
#ifndef WINDLASS_H
#define WINDLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// UTF-8 text, not null-terminated.
typedef struct {
    const char *at;
    size_t len;
} text;
#define TEXT(literal) ((text){literal, sizeof(literal) - 1})

// Dependencies of the output: the input alone; also files read; also time or randomness.
enum purity { PURE, READS, FREE };

// Description of the plugin; `main` is the output field with the main list, if any.
typedef struct {
    text name, version, purpose, input_schema, output_schema;
    enum purity purity;
    text main;
} plugin;
extern const plugin PLUGIN;

// Kinds of failure: invalid input; a retry may succeed; a retry would fail again.
enum sort { INVALID, TRANSIENT, FAILED };

// Result of `run`, in the layout of the interface.
typedef struct {
    uint8_t failed;
    union {
        text output;
        struct {
            uint8_t sort;
            text message, details;
        } failure;
    } is;
} answer;

// Runs one attempt: JSON text in and out. The input matches the schema.
answer run(text input);

// ---- Memory: allocated from an arena, freed only after the attempt.

static unsigned char windlass_arena[128 << 10];
static size_t windlass_at, windlass_end;

static void *take(size_t len) {
    if (windlass_at == 0) {
        windlass_at = (size_t)windlass_arena;
        windlass_end = windlass_at + sizeof(windlass_arena);
    }
    size_t at = (windlass_at + 15) & ~(size_t)15;
    if (len > SIZE_MAX - (64 << 10) - at) __builtin_trap();
    if (at + len > windlass_end) {
        // Ask the host for more memory; the rest of the arena stays unused.
        size_t pages = (len + (64 << 10) - 1) >> 16, size = __builtin_wasm_memory_size(0);
        if (at < size << 16 && windlass_end == size << 16) pages = (at + len - windlass_end + 65535) >> 16;
        else at = size << 16;
        if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) __builtin_trap();
        windlass_end = (size + pages) << 16;
    }
    windlass_at = at + len;
    return (void *)at;
}

// ---- Text and JSON.

// Compares bytes: less than, equal to or greater than 0.
static int text_order(text a, text b) {
    for (size_t at = 0; at < a.len && at < b.len; at++)
        if (a.at[at] != b.at[at]) return (unsigned char)a.at[at] < (unsigned char)b.at[at] ? -1 : 1;
    return a.len == b.len ? 0 : a.len < b.len ? -1 : 1;
}

// A JSON value is the text from its first character to the end of the document; empty if absent.
static bool json_is(text value) { return value.len > 0; }

static text windlass_from(text value, size_t at) {
    while (at < value.len && (value.at[at] == ' ' || value.at[at] == '\n' || value.at[at] == '\r' || value.at[at] == '\t')) at++;
    return (text){value.at + at, value.len - at};
}

// Length of a value in bytes.
static size_t json_length(text value) {
    size_t depth = 0;
    for (size_t at = 0; at < value.len; at++) {
        char c = value.at[at];
        if (c == '"') {
            for (at++; at < value.len && value.at[at] != '"'; at++)
                if (value.at[at] == '\\') at++;
            if (depth == 0) return at + 1;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return at;
            if (--depth == 0) return at + 1;
        } else if (depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
            return at;
        }
    }
    return value.len;
}

// First value of a list, or first name of an object.
static text json_first(text value) {
    if (value.len == 0 || (value.at[0] != '[' && value.at[0] != '{')) return (text){0};
    text first = windlass_from(value, 1);
    if (first.len == 0 || first.at[0] == ']' || first.at[0] == '}') return (text){0};
    return first;
}

// Next value or name.
static text json_next(text value) {
    text rest = windlass_from(value, json_length(value));
    if (rest.len == 0 || (rest.at[0] != ',' && rest.at[0] != ':')) return (text){0};
    return windlass_from(rest, 1);
}

static int windlass_digit(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

static uint32_t windlass_hex(const char *at) {
    return windlass_digit(at[0]) << 12 | windlass_digit(at[1]) << 8 | windlass_digit(at[2]) << 4 | windlass_digit(at[3]);
}

// Contents of a string with escapes resolved; empty if it is not a string.
static text json_text(text value) {
    if (value.len < 2 || value.at[0] != '"') return (text){0};
    size_t len = json_length(value) - 1;
    char *out = take(len);
    size_t to = 0;
    for (size_t at = 1; at < len; at++) {
        char c = value.at[at];
        if (c != '\\') {
            out[to++] = c;
            continue;
        }
        c = value.at[++at];
        if (c != 'u') {
            out[to++] = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
            continue;
        }
        uint32_t code = windlass_hex(value.at + at + 1);
        at += 4;
        if (code >= 0xd800 && code < 0xdc00 && at + 6 < len && value.at[at + 1] == '\\') {
            code = 0x10000 + ((code - 0xd800) << 10) + (windlass_hex(value.at + at + 3) - 0xdc00);
            at += 6;
        }
        if (code < 0x80) {
            out[to++] = code;
        } else if (code < 0x800) {
            out[to++] = 0xc0 | code >> 6, out[to++] = 0x80 | (code & 63);
        } else if (code < 0x10000) {
            out[to++] = 0xe0 | code >> 12, out[to++] = 0x80 | (code >> 6 & 63), out[to++] = 0x80 | (code & 63);
        } else {
            out[to++] = 0xf0 | code >> 18, out[to++] = 0x80 | (code >> 12 & 63);
            out[to++] = 0x80 | (code >> 6 & 63), out[to++] = 0x80 | (code & 63);
        }
    }
    return (text){out, to};
}

// Value of a member of an object; empty if absent.
static text json_member(text object, text name) {
    for (text at = json_first(object); json_is(at);) {
        text value = json_next(at);
        if (text_order(json_text(at), name) == 0) return value;
        at = json_next(value);
    }
    return (text){0};
}

// Growing text buffer.
typedef struct {
    char *at;
    size_t len, room;
} buffer;

static void put(buffer *to, text what) {
    if (what.len > to->room - to->len) {
        size_t room = (to->len + what.len) * 2 + 256;
        char *at = take(room);
        for (size_t n = 0; n < to->len; n++) at[n] = to->at[n];
        to->at = at, to->room = room;
    }
    for (size_t n = 0; n < what.len; n++) to->at[to->len + n] = what.at[n];
    to->len += what.len;
}

// Appends a JSON string.
static void put_string(buffer *to, text what) {
    put(to, TEXT("\""));
    for (size_t at = 0; at < what.len; at++) {
        unsigned char c = what.at[at];
        const char *digits = "0123456789abcdef";
        char escaped[6] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
        if (c == '"' || c == '\\') put(to, TEXT("\\"));
        put(to, c < 32 ? (text){escaped, 6} : (text){what.at + at, 1});
    }
    put(to, TEXT("\""));
}

static void put_number(buffer *to, uint64_t number) {
    char digits[20];
    size_t at = sizeof(digits);
    do digits[--at] = '0' + number % 10;
    while (number /= 10);
    put(to, (text){digits + at, sizeof(digits) - at});
}

static answer output(const buffer *out) { return (answer){.is.output = {out->at, out->len}}; }

static answer failure(enum sort sort, text message) {
    return (answer){.failed = 1, .is.failure = {.sort = sort, .message = message}};
}

// ---- Imports. Using a function requests its permission: see `wit/step.wit`.

#define WINDLASS_IMPORT(interface, name) \
    __attribute__((import_module("windlass:step/" interface "@1.0.0"), import_name(name)))

// Result of most imports: text, or the reason for a refusal.
typedef struct {
    uint8_t refused;
    union {
        text given;
        struct {
            text code, message;
        } refusal;
    } is;
} asked;

enum level { DEBUG, INFO, WARN, ERROR };
WINDLASS_IMPORT("log", "write") void log_write(enum level, const char *at, size_t len);
WINDLASS_IMPORT("progress", "report") void progress_report(uint64_t done, uint64_t total);
WINDLASS_IMPORT("evidence", "read")
void evidence_read(const char *file, size_t len, uint32_t first, uint32_t last, asked *);
WINDLASS_IMPORT("search", "find") void search_find(const char *query, size_t len, asked *);
WINDLASS_IMPORT("files", "names") void files_names(const char *query, size_t len, asked *);
WINDLASS_IMPORT("anchors", "take") void anchors_take(const char *query, size_t len, asked *);
WINDLASS_IMPORT("clock", "run-began") uint64_t clock_run_began(void);
// `given.at` points to `given.len` bytes, not to text.
WINDLASS_IMPORT("random", "bytes") void random_bytes(uint32_t count, text *given);

// ---- Exports of the component.

__attribute__((export_name("cabi_realloc"))) void *windlass_realloc(const char *old, size_t old_len, size_t align, size_t len) {
    (void)align;
    char *new = take(len);
    for (size_t n = 0; n < old_len && n < len; n++) new[n] = old[n];
    return new;
}

__attribute__((export_name("windlass:step/handler@1.0.0#describe"))) const void *windlass_describe(void) {
    static struct {
        text name, version, purpose, input_schema, output_schema;
        uint8_t purity;
        struct {
            text *at;
            size_t len;
        } more;
    } said;
    static text main[2] = {{"main", 4}};
    main[1] = PLUGIN.main;
    said.name = PLUGIN.name, said.version = PLUGIN.version, said.purpose = PLUGIN.purpose;
    said.input_schema = PLUGIN.input_schema, said.output_schema = PLUGIN.output_schema;
    said.purity = PLUGIN.purity;
    said.more.at = main, said.more.len = PLUGIN.main.len > 0;
    return &said;
}

__attribute__((export_name("windlass:step/handler@1.0.0#run"))) const answer *windlass_run(const char *at, size_t len) {
    static answer given;
    given = run((text){at, len});
    return &given;
}

#endif
