# tests/situations/public/c12_bucket.py: a Triton kernel with a mask on the store alone; writes c12_bucket.ptx.
import triton, triton.language as tl
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget

@triton.jit
def which_bucket(x, edges, out, n, EDGES: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    inside = i < n
    v = tl.load(x + i)
    k = tl.zeros((B,), tl.int32)
    for e in range(EDGES):
        k += (v >= tl.load(edges + e)).to(tl.int32)
    tl.store(out + i, k, mask=inside)

signature = {'x': '*fp32', 'edges': '*fp32', 'out': '*i32', 'n': 'i32', 'EDGES': 'constexpr', 'B': 'constexpr'}
source = ASTSource(which_bucket, signature=signature, constexprs={(4,): 5, (5,): 1024})
k = triton.compile(source, target=GPUTarget('cuda', 90, 32), options={'num_warps': 4})
open('c12_bucket.ptx', 'w').write(k.asm['ptx'])
