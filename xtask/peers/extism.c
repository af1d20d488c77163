// A call of a plugin that does nothing, as Extism makes it, for `cargo xtask bench plugin --peer extism=PROGRAM`.
//
// Extism's library needs a newer compiler than this workspace, and its own authors ship it built, in a Python package:
//
//     pip download extism-sys==1.41.0 --no-deps && unzip extism_sys-*.whl
//     cc -O2 xtask/peers/extism.c -Lextism_sys -lextism_sys -Wl,-rpath,"$PWD/extism_sys" -o extism-peer
//
// For each line with a number it makes so many calls, each in a new instance of what was compiled once, and prints the
// nanoseconds that all of them took. The guest takes nothing and gives nothing: there is no cheaper call.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct ExtismCompiledPlugin ExtismCompiledPlugin;
typedef struct ExtismPlugin ExtismPlugin;
typedef struct ExtismFunction ExtismFunction;

ExtismCompiledPlugin *extism_compiled_plugin_new(const uint8_t *wasm, uint64_t size, const ExtismFunction **functions,
                                                 uint64_t count, bool with_wasi, char **error);
ExtismPlugin *extism_plugin_new_from_compiled(const ExtismCompiledPlugin *compiled, char **error);
int32_t extism_plugin_call(ExtismPlugin *plugin, const char *function, const uint8_t *input, uint64_t size);
void extism_plugin_free(ExtismPlugin *plugin);
const char *extism_version(void);

// (module (func (export "run") (result i32) (i32.const 0)))
static const uint8_t GUEST[] = {0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x05, 0x01, 0x60,
                                0x00, 0x01, 0x7f, 0x03, 0x02, 0x01, 0x00, 0x07, 0x07, 0x01, 0x03, 'r',
                                'u',  'n',  0x00, 0x00, 0x0a, 0x06, 0x01, 0x04, 0x00, 0x41, 0x00, 0x0b};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why ? why : "no reason given");
    exit(1);
}

int main(void) {
    char *error = NULL;
    fprintf(stderr, "extism %s\n", extism_version());
    ExtismCompiledPlugin *compiled = extism_compiled_plugin_new(GUEST, sizeof GUEST, NULL, 0, false, &error);
    if (!compiled) fail("it cannot be compiled", error);
    unsigned long calls;
    while (scanf("%lu", &calls) == 1) {
        uint64_t began = now();
        for (unsigned long n = 0; n < calls; n++) {
            ExtismPlugin *plugin = extism_plugin_new_from_compiled(compiled, &error);
            if (!plugin) fail("it cannot be instantiated", error);
            if (extism_plugin_call(plugin, "run", NULL, 0) != 0) fail("it cannot be called", NULL);
            extism_plugin_free(plugin);
        }
        printf("%llu\n", (unsigned long long)(now() - began));
        fflush(stdout);
    }
    return 0;
}
