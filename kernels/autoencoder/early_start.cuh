// kernels/autoencoder/early_start.cuh: launches of a step that start while the one before ends.
#pragma once

// Before anything is read that another launch wrote, or written that it reads. Returns at once
// where the launch did not start early.
__device__ __forceinline__ void wait_for_launch_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Once all blocks have come here or ended, blocks of the next launch may take what room is left. It
// still waits for the end of this one.
__device__ __forceinline__ void let_next_launch_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
