// profiling/engine/compile/entry_names.h: the kernels of a PTX text by the names that people give
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiling/listings/kernel_name.h"
#include "profiling/listings/listing.h"
#include "scenes/host/result.h"

namespace warpscope {

// Whether a text is PTX, by how it begins.
bool is_ptx(std::string_view text);

// The entries of a PTX text in its order. `source`: the CUDA text that it was compiled from, for
// the names of parameters. error: input, as parse_ptx.
Result<std::vector<ListedKernel>> kernels_of_ptx(std::string_view ptx, const std::string& file,
                                                 std::string_view source = {});

// Host code after a text, so that a compiler makes the kernel that an expression names, and where
// in the PTX the kernel's own symbol then stands; empty: it does not.
std::string instance_lines(const std::string& expression);
// The same of several.
std::string instance_lines(const std::vector<std::string>& expressions);
// Those of `instances` that none of the symbols is.
std::vector<std::string> missing_instances(const std::vector<std::string>& instances,
                                           const std::vector<std::string>& symbols);
// The symbol that a text calls so, with or without namespaces; the name itself where none is.
std::string variable_symbol(const std::vector<std::string>& symbols, const std::string& name);
std::string instance_symbol(std::string_view ptx);

}  // namespace warpscope
