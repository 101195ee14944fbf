/* A subject under libFuzzer: fuzzer_NAME FOLDER... [-OPTION=VALUE...], built by the preset `fuzz` (run.sh). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *words, char ***word);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most); /* libFuzzer's own */

int LLVMFuzzerInitialize(int *words, char ***word) {
  (void)words;
  (void)word;
  fuzz_begin(COSWEEP_SOURCE_DIR);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_take((const char *)bytes, size);
  return 0;
}

static unsigned int state;

static size_t below(size_t count) {
  return count > 0 ? (size_t)rand_r(&state) % count : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned int seed) {
  struct cs_text text = {0};
  state = seed;
  if (fuzz_subject.change == NULL || below(8) == 0) return LLVMFuzzerMutate(bytes, size, most);
  cs_text_append(&text, (const char *)bytes, size);
  fuzz_subject.change(&text, below);
  if (text.length <= most) memcpy(bytes, cs_text_string(&text), text.length);
  const size_t length = text.length <= most ? text.length : size;
  cs_text_free(&text);
  return length;
}
