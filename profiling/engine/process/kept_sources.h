// profiling/engine/process/kept_sources.h: the kernel texts that a workbench has sent, each once.
#pragma once

#include <map>
#include <string>

#include "profiling/messages/protocol.h"

namespace warpscope {

// A workbench sends a text with the first job that needs it, its hash alone with a later one that
// needs others as well, and the name of the whole set where that was sent before. All of them are
// kept as long as the process lives: they are some kilobytes each, a set some hundred.
class KeptSources {
 public:
  // Keeps the texts that came with the job and puts in those that came before. A source whose text
  // never came is taken out; compiling then reports it as missing.
  void complete(Job& job);

 private:
  std::map<std::string, std::string> texts_;               // by the hash that they were sent with
  std::map<std::string, std::vector<KernelSource>> sets_;  // by Job::source_set
};

}  // namespace warpscope
