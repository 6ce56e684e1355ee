// workbench/client/program_catalogue.cpp: the scenes of this program, and of any file it can open.
#include "workbench/client/program_catalogue.h"

#include "profiling/capture/capture_scene.h"
#include "scenes/file_scene.h"
#include "workbench/client/own_binary.h"

namespace warpscope {

std::shared_ptr<Catalogue> program_catalogue() {
  return std::make_shared<Catalogue>(FileReaders{compiled_texts, capture_scene});
}

}  // namespace warpscope
