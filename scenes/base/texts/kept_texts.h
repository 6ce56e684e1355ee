// scenes/base/texts/kept_texts.h: texts of files that are read again only after a change, and what
// they include.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenes/base/source.h"
#include "scenes/host/result.h"

// For source.cpp and own_kernel.cpp alone.

namespace warpscope {

// What changes when a file does.
struct Stamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t bytes = 0, changed_ns = 0, written_ns = 0;
  bool operator==(const Stamp&) const = default;
};
std::optional<Stamp> stamp_of(const std::filesystem::path& path);  // no value: there is no such
                                                                   // file
// Whether the stamp is old enough that a later change must give another one. The clock of file
// systems ticks only every few milliseconds: a text written twice within one tick keeps the first
// stamp.
bool is_settled(const Stamp& stamp);

// `read` gives the text if the file is not the one that was read before. error: as `read`.
Result<KernelSource> read_kept(const std::filesystem::path& file, const std::string& path,
                               const std::function<Result<std::string>()>& read);

// Gives nothing for a name that is none of the project's; it is told whether the name stands in
// quotes.
using FindHeader = std::function<std::optional<KernelSource>(const std::string& name, bool quoted)>;
// Adds what `text` includes, depth first, each name once.
void add_included(const std::string& text, const FindHeader& find, std::set<std::string>& seen,
                  std::vector<KernelSource>& sources);
std::vector<KernelSource> with_included(KernelSource main, const FindHeader& find);

}  // namespace warpscope
