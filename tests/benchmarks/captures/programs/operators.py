# tests/benchmarks/captures/programs/operators.py: runs named operators twice each and says whether
# their results agree.
import torch


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [each for part in value for each in tensors(part)]
    return []


def bits(value):
    return [each.detach().clone().contiguous().view(torch.uint8).cpu() for each in tensors(value)]


def run(operators):
    """Each operator is a function that makes its inputs and gives another one, which is run twice."""
    for name, make in operators.items():
        torch.manual_seed(1)
        with torch.no_grad():
            operator = make()
            torch.cuda.synchronize()
            results = []
            for _ in range(2):
                torch.cuda.nvtx.range_push(f"op:{name}")
                result = operator()
                torch.cuda.synchronize()
                torch.cuda.nvtx.range_pop()
                results.append(bits(result))
        same = all(torch.equal(a, b) for a, b in zip(*results))
        print(f"agrees {name} {int(same)}", flush=True)
