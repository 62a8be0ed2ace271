"""Fitting, with numpy and scipy alone and always the same result: a sparse logistic regression and a small net."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix


def logistic(x: csr_matrix, y: Any, weight: Any, penalty: float, steps: int = 60) -> Any:
    """Weights of a logistic regression with L2 penalty; the intercept is fitted and left out."""
    k = x.shape[1]
    xt = x.T.tocsr()
    total = weight.sum()

    def loss(theta: Any) -> tuple[float, Any]:
        z = x @ theta[:k] + theta[k]
        p = 1 / (1 + np.exp(-z))
        value = (weight * (np.logaddexp(0, z) - y * z)).sum() / total + penalty * (theta[:k] ** 2).sum() / 2
        error = weight * (p - y) / total
        return value, np.append(xt @ error + penalty * theta[:k], error.sum())

    found = minimize(loss, np.zeros(k + 1), jac=True, method="L-BFGS-B", options={"maxiter": steps})
    return found.x[:k].astype(np.float32)


def standardize(x: Any, weight: Any) -> tuple[Any, Any]:
    """Mean and inverse deviation of each column."""
    weight = weight / weight.sum()
    mean = (x * weight[:, None]).sum(0)
    deviation = np.sqrt((((x - mean) ** 2) * weight[:, None]).sum(0))
    return mean.astype(np.float32), (1 / np.maximum(deviation, 0.02)).astype(np.float32)


def train_net(
    x: Any, y: Any, weight: Any, *, hidden: tuple[int, ...] = (64,), epochs: int = 12, rate: float = 2e-3, decay: float = 0.1,
    drop: float = 0.4, batch: int = 1024, seed: int = 1,
) -> list[tuple[Any, Any]]:  # fmt: skip
    """Layers of a net with rectified hidden units and one logistic output, by Adam with decoupled weight decay."""
    rng = np.random.default_rng(seed)
    sizes = (x.shape[1], *hidden, 1)
    params = []
    for a, b in pairwise(sizes):
        params += [(rng.standard_normal((a, b)) * np.sqrt(2 / a)).astype(np.float32), np.zeros(b, np.float32)]
    params[-2] *= 0.3
    m1 = [np.zeros_like(p) for p in params]
    m2 = [np.zeros_like(p) for p in params]
    weight = (weight / weight.mean()).astype(np.float32)
    y = y.astype(np.float32)
    steps = epochs * (len(x) // batch)
    step = 0
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x) - batch + 1, batch):
            step += 1
            rows = order[start : start + batch]
            grads = _gradients(params, x[rows], y[rows], weight[rows], drop, rng)
            lr = rate * min(1.0, step / 200) * 0.5 * (1 + np.cos(np.pi * step / steps))
            for i, grad in enumerate(grads):
                m1[i] += 0.1 * (grad - m1[i])
                m2[i] += 0.001 * (grad * grad - m2[i])
                update = (m1[i] / (1 - 0.9**step)) / (np.sqrt(m2[i] / (1 - 0.999**step)) + 1e-8)
                if params[i].ndim == 2:
                    update = update + decay * params[i]
                params[i] -= (lr * update).astype(np.float32)
    return [(params[i], params[i + 1]) for i in range(0, len(params), 2)]


def _gradients(params: list[Any], x: Any, y: Any, weight: Any, drop: float, rng: Any) -> list[Any]:
    inputs, masks = [x], []
    for i in range(0, len(params) - 2, 2):
        z = inputs[-1] @ params[i] + params[i + 1]
        mask = (z > 0) & (rng.random(z.shape, dtype=np.float32) >= drop)
        masks.append(mask)
        inputs.append(np.where(mask, z / (1 - drop), 0).astype(np.float32))
    out = (inputs[-1] @ params[-2] + params[-1])[:, 0]
    delta = ((1 / (1 + np.exp(-out)) - y) * weight / len(x))[:, None].astype(np.float32)
    grads: list[Any] = []
    for i in range(len(params) - 2, -1, -2):
        grads = [inputs[i // 2].T @ delta, delta.sum(0), *grads]
        if i:
            delta = (delta @ params[i].T) * masks[i // 2 - 1] / (1 - drop)
    return grads
