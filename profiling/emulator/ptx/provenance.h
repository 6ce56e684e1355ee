// profiling/emulator/ptx/provenance.h: which shared array an address of PTX was made from.
#pragma once

#include <string_view>
#include <unordered_map>

#include "profiling/emulator/ptx/module.h"

// Every array of shared memory is a symbol of PTX. An address made from one symbol by adding
// integers points into that array, whatever lies beside it in memory; one made in another way, or
// from several symbols, says nothing. The check is of the address that is used, so sums that leave
// the array on the way are not blamed.

namespace warpscope {

// By register: the shared symbol that its address was made from. Others are left out.
std::unordered_map<std::string_view, std::string_view> shared_provenance(
    const PtxModule& module, const PtxFunction& function);

}  // namespace warpscope
