// profiling/listings/kernel_name.h: kernels by the names that people give them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/listings/listing.h"
#include "scenes/host/result.h"

namespace warpscope {

// A C++ symbol as text; a symbol that is not mangled, or that is built to become very long, as it
// is.
std::string demangled(const std::string& symbol);

// "layernorm<float, 256>" and the types of its parameters, "const float*"; no types if the symbol
// does not say them.
struct KernelName {
  std::string name;
  std::optional<std::vector<std::string>> types;
};
KernelName kernel_name_of(const std::string& symbol);

// "saxpy" for "saxpy<float>".
std::string without_template_arguments(const std::string& name);
// Whether `wanted` is the name, with or without its namespaces.
bool is_called(const std::string& name, const std::string& wanted);

// The symbol of the kernel that is meant: by its symbol, or by its name with or without namespaces
// and template arguments, where only one has it. Spaces do not matter. Empty `wanted`: the only
// kernel there is. error: usage, with the kernels there are.
Result<std::string> choose_kernel(const std::vector<ListedKernel>& kernels,
                                  const std::string& wanted, const std::string& file);

// The instance of the kernel `wanted` that has most of its template arguments, each at its place;
// the first one if several are equal; null: no kernel has this name. For a name in which some of
// them are not known: "sum<T, 256>".
const ListedKernel* most_alike(const std::vector<ListedKernel>& kernels, const std::string& wanted);

// The one of a program's symbols that a launch's entry means, as choose_kernel does; the entry
// itself where none or several are meant.
std::string symbol_of(const std::vector<std::string>& symbols, const std::string& entry);

// "layernorm<float, 256>(float*, const float*, int)".
std::string kernel_text(const ListedKernel& kernel);

}  // namespace warpscope
