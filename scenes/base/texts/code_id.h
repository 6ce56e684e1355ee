// scenes/base/texts/code_id.h: which code a figure belongs to: the source of a variant, whatever it
// looks like.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/base/source.h"

// Two figures of one point with different code_ids are of different programs. Comments and line
// breaks are not part of it, nor are toolkit, architecture, launch shape and sizes: those are
// conditions and axes.

namespace warpscope {

// The version of "cusparse", "cublas", … that a call goes to. No value: not known.
using LibraryVersions = std::function<std::optional<std::string>(std::string_view library)>;

// 32 hex digits of the steps' sources: of a kernel the tokens of its file and its headers, its
// constants, its entry and whether it is compiled for one architecture alone; of a library call its
// name and version; of a host step its sentence and the version of this program; of memsets and
// copies which they are and what parts they touch. No value if a version is not known. error: as
// `sources`.
Result<std::optional<std::string>> code_id(const std::vector<Step>& steps,
                                           const SourceLookup& sources,
                                           const LibraryVersions& versions);

// The code id of a variant's steps with these texts, as they stand now. No value if it cannot be
// known: a file, a fact of the inputs or the version of a library is missing.
std::optional<std::string> current_code_id(const Variant& variant, const Workload& workload,
                                           const SourceLookup& sources,
                                           const LibraryVersions& versions);

// "cusparse" of "cusparse.spmm.csr_alg3".
std::string_view library_of(const LibraryCall& call);

// Whether a kernel of ours stands among the run steps: there is something to trace and to show.
bool runs_kernels(const Variant& variant, const Workload& workload);
// Whether a step calls a vendor's library.
bool calls_library(const Variant& variant, const Workload& workload);
// Whether every step is a function of the host's: nothing of a run needs a device.
bool runs_on_host_alone(const Variant& variant, const Workload& workload);

}  // namespace warpscope
