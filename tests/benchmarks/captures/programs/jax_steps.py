# tests/benchmarks/captures/programs/jax_steps.py: kernels that XLA makes for JAX. Without command
# buffers, so that they are launched one by one; with little memory reserved.
import os

os.environ["XLA_FLAGS"] = "--xla_gpu_enable_command_buffer="
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
os.environ["XLA_PYTHON_CLIENT_ALLOCATOR"] = "platform"

import jax
import jax.numpy as jnp

x = jax.random.normal(jax.random.key(1), (256, 512))
step = jax.jit(lambda v: jax.nn.softmax(v * 2, axis=1) + jnp.cumsum(v, axis=0))
product = jax.jit(lambda v: v @ v.T)
for name, function in {"jax_step": step, "jax_product": product}.items():
    results = [jax.block_until_ready(function(x)).tobytes() for _ in range(2)]
    print(f"agrees {name} {int(results[0] == results[1])}", flush=True)
