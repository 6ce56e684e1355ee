// scenes/base/source.h: the text of a kernel as a value: carried in jobs, and what caches are keyed
// by.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenes/host/result.h"

// The program that requests figures reads the texts and sends them along. The program that compiles
// takes these texts and reads no files of kernels.
//
//   Result<std::vector<KernelSource>> texts = sources_of_scene("csrmm");    // a built-in scene's
//   const SourceLookup find = sources_among(*texts);                        // the engine
//   Result<std::vector<KernelSource>> kernel = find("csrmm/warp_row.cu");   // it and its headers

namespace warpscope {

// A .cu file, or a header that it includes.
struct KernelSource {
  std::string path;  // as an include names it, below kernels/: "csrmm/warp_row.cu"
  std::string text;
  std::string hash;  // hash_of the text
  bool operator==(const KernelSource&) const = default;
};
KernelSource kernel_source(std::string path, std::string text);

// What stands for a text wherever one is looked up: 32 hex digits. Two texts of equal hash are
// taken for one.
std::string hash_of(std::string_view text);

// The names in quotes of a text's #include lines, in order.
std::vector<std::string> quoted_includes(std::string_view text);
struct IncludedName {
  std::string name;
  bool quoted = true;
};
std::vector<IncludedName> included_names(std::string_view text);

// The texts one after the other, for what reads declarations in all of them.
std::string joined_text(const std::vector<KernelSource>& sources);

// What one kernel is compiled from: its file first, then the headers that it includes and that they
// include, each once, in that order. error: environment (no such text), input.
using SourceLookup = std::function<Result<std::vector<KernelSource>>(const std::string& path)>;
// Looks in these texts alone.
SourceLookup sources_among(std::vector<KernelSource> texts);
// Looks in this machine's files below kernels/.
SourceLookup sources_on_disk();
// A text with the headers that it includes of those.
std::vector<KernelSource> with_headers_on_disk(KernelSource text);

// A file below kernels/, or one whose whole path a person named (input_file.h). Read again only
// where the file has changed. error: environment, input.
Result<KernelSource> read_kernel(const std::string& path_below_kernels);
// Every kernel that a built-in scene may launch, with its headers. Empty where the scene has no
// folder of kernels. Scenes that were opened are asked of their catalogue. error: environment.
Result<std::vector<KernelSource>> sources_of_scene(const std::string& scene);
// The same without a copy of the texts, for calls in every frame; never null.
Result<std::shared_ptr<const std::vector<KernelSource>>> kept_sources_of_scene(
    const std::string& scene);
// A file of the person's own and the headers in quotes beside it, in folders that were allowed
// (input_file.h), or below kernels/. A header found nowhere is left out: the compiler names
// it, where it is needed. For one that lies elsewhere, which is not opened, and for one that is too
// large or cannot be read stands a text that does not compile and says why. error: input.
Result<std::vector<KernelSource>> read_own_kernel(const std::string& path);
// Names and texts of all but the first.
std::vector<std::pair<std::string, std::string>> header_texts(
    const std::vector<KernelSource>& sources);
// Where the last read_own_kernel of this path looked for headers, found or not: if one of these
// files changes, comes or goes, the texts may be others. Empty if it was not read.
std::vector<std::filesystem::path> header_places_of(const std::string& path);

// Hash of the lines of code of a kernel and its headers, without comments (texts/text_hash.h): 16
// hex digits, which guard figures of single lines. Sessions store it, so it must not change.
std::string text_hash_of(const std::vector<KernelSource>& sources);

}  // namespace warpscope
