// profiling/engine/process/kept_sources.cpp: the kernel texts that a workbench has sent, each once.
#include "profiling/engine/process/kept_sources.h"

#include <utility>

namespace warpscope {

void KeptSources::complete(Job& job) {
  if (job.sources.empty()) {
    if (const auto found = sets_.find(job.source_set); found != sets_.end())
      job.sources = found->second;
    return;
  }
  std::vector<KernelSource> whole;
  for (KernelSource& source : job.sources) {
    const bool came = !source.text.empty() || source.hash == hash_of("");
    if (came) texts_.insert_or_assign(source.hash, source.text);
    const auto kept = texts_.find(source.hash);
    // Hashed anew: bytes that are not UTF-8 were replaced on the way, and another program's hash
    // must not lead to machine code that was made of another text.
    if (kept != texts_.end()) whole.push_back(kernel_source(std::move(source.path), kept->second));
  }
  job.sources = std::move(whole);
  if (!job.source_set.empty()) sets_.insert_or_assign(job.source_set, job.sources);
}

}  // namespace warpscope
