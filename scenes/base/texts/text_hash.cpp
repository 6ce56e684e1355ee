// scenes/base/texts/text_hash.cpp: whether figures of single lines belong to the lines of a text.
#include "scenes/base/texts/text_hash.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>

#include "scenes/base/texts/code_tokens.h"
#include "scenes/base/texts/machine_code.h"

namespace warpscope {
namespace {

// FNV-1a, 64 bits.
class Fnv {
 public:
  void add(std::string_view text) {
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  }
  std::string digits() const {
    char digits[20];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash_));
    return digits;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

// The lines of code of a text. Kernels of a scene share headers, so the last ones are kept.
std::shared_ptr<const std::string> kept_code_lines(const std::string& text) {
  constexpr std::size_t kMostKept = 512;
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const std::string>> kept;  // by the hash of the text
  const std::string key = hash_of(text);
  const std::lock_guard lock(mutex);
  if (const auto found = kept.find(key); found != kept.end()) return found->second;
  if (kept.size() >= kMostKept) kept.clear();
  return kept[key] = std::make_shared<const std::string>(code_lines(text));
}

// The texts in order; before each header its name on a line of its own.
template <typename TextOf>
std::string hash_of_all(const std::vector<KernelSource>& sources, const TextOf& text_of) {
  Fnv hash;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (i > 0) {
      hash.add("\n");
      hash.add(sources[i].path);
      hash.add("\n");
    }
    hash.add(*text_of(sources[i]));
  }
  return hash.digits();
}

}  // namespace

std::string text_hash_of(const std::vector<KernelSource>& sources) {
  return hash_of_all(sources, [](const KernelSource& source) {
    // Machine code has no comments.
    return source.path.ends_with(kMachineCodeSuffix)
               ? std::make_shared<const std::string>(source.text)
               : kept_code_lines(source.text);
  });
}

TextHashes text_hashes_of(const std::vector<KernelSource>& sources) {
  return {text_hash_of(sources),
          hash_of_all(sources, [](const KernelSource& source) { return &source.text; })};
}

}  // namespace warpscope
