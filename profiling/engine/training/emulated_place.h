// profiling/engine/training/emulated_place.h: a training on the emulator; steps on the host run
// there.
#pragma once

#include "profiling/engine/training/place.h"

namespace warpscope {

// As OpenTrainingPlace. error: also resource, where a step would take the emulator minutes.
Result<std::unique_ptr<TrainingPlace>> open_emulated_place(const Job& job, const Scene& scene,
                                                           const Variant& variant,
                                                           const Configuration& axes);

}  // namespace warpscope
