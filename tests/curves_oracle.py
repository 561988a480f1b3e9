#!/usr/bin/env python3
"""curves_oracle.py CURVES_BATCH - the curves of src/evidence are those of a twin in NumPy and scikit-learn: lines by
SciPy's minimiser of the same two losses, and, where these are one, by scikit-learn's logistic regression; stumps boosted
on the same bins; slope and start. Predictions agree to 1e-5. Exit 0: they do; 1: not; 77: a package is
missing."""
import json
import subprocess
import sys

try:
    import numpy as np
    from scipy.optimize import minimize
    from sklearn.linear_model import LogisticRegression
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

EDGES, STEPS, LINE = 62, 64, 4


def load(program):
    said = json.loads(subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout)
    array = lambda name, *shape: np.array([np.nan if x is None else x for x in said[name]], float).reshape(shape)
    groups, size, curves = said["groups"], said["size"], said["curves"]
    said |= {"value": array("value", curves, groups * size), "weight": array("weight", groups, size),
             "stands": array("stands", groups, size), "line": array("line", curves, LINE),
             "edge": array("edge", curves, EDGES), "step": array("step", curves, STEPS),
             "lines_score": array("lines_score", groups, size), "score": array("score", groups, size)}
    return said


def scaled(said):
    """What lines read, examples x curves: the logarithm where there is an offset, standardised; missing is 0."""
    offset, mean, deviation, _ = said["line"].T
    x = said["value"].T
    with np.errstate(invalid="ignore"):
        g = np.where(offset < 0, x, np.log(np.maximum(x, 0) + np.abs(offset)))
    return np.where(np.isnan(x), 0, (g - mean) / deviation)


def bins(said):
    """Curves x examples: 0 where the value is missing, else 1 and the number of edges below it."""
    return np.array([np.where(np.isnan(x), 0, 1 + np.searchsorted(edge, x, side="left"))
                     for x, edge in zip(said["value"], said["edge"])])


def losses(said, score):
    """Loss, gradient and curvature of scores, groups x size: is it a link, and which one is it."""
    w, stands, link = said["weight"], said["stands"], np.zeros(score.shape)
    link[:, 0] = 1
    chance = 1 / (1 + np.exp(-score))
    p = stands * np.exp(score - score.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    loss = (w * np.logaddexp(0, np.where(link > 0, -score, score))).sum() - np.log(p[:, 0] / stands[:, 0]).sum()
    return loss, w * (chance - link) + p - link, w * chance * (1 - chance) + p * (1 - p)


def fit_lines(said, z):
    def goal(b):
        loss, gradient, _ = losses(said, (z @ b[:-1] + b[-1]).reshape(said["weight"].shape))
        r = gradient.ravel()
        return (loss + said["ridge"] / 2 * (b[:-1] ** 2).sum(),
                np.append(z.T @ r + said["ridge"] * b[:-1], r.sum()))
    b = minimize(goal, np.zeros(z.shape[1] + 1), jac=True, method="BFGS", options={"gtol": 1e-7, "maxiter": 1000}).x
    return (z @ b[:-1] + b[-1]).reshape(said["weight"].shape)


def best_cut(gradient, curvature, members, said):
    """(gain, bin, left, right) of a curve from sums in its bins."""
    G, H, n = gradient.sum(), curvature.sum(), members.sum()
    g, h, left = np.cumsum(gradient)[:-1], np.cumsum(curvature)[:-1], np.cumsum(members)[:-1]
    lam = said["lambda"]
    gain = g ** 2 / (h + lam) + (G - g) ** 2 / (H - h + lam) - G ** 2 / (H + lam)
    allowed = (members[:-1] > 0) & (left >= said["leaf"]) & (n - left >= said["leaf"]) & (h >= 1e-6) & (H - h >= 1e-6)
    gain = np.where(allowed, gain, -np.inf)
    k = int(np.argmax(gain))
    return gain[k], k, -g[k] / (h[k] + lam), -(G - g[k]) / (H - h[k] + lam)


def boost(said, b, score):
    members = np.array([np.bincount(row, minlength=STEPS) for row in b])
    for _ in range(said["rounds"]):
        _, gradient, curvature = losses(said, score)
        cuts = [best_cut(np.bincount(row, gradient.ravel(), STEPS), np.bincount(row, curvature.ravel(), STEPS), n, said)
                for row, n in zip(b, members)]
        j = max(range(len(cuts)), key=lambda i: (cuts[i][0], -i))
        gain, at, left, right = cuts[j]
        if not gain > 1e-12:
            break
        score = score + said["rate"] * np.where(b[j] <= at, left, right).reshape(score.shape)
    return score


def calibrated(said):
    """Platt's start and slope; two examples' worth of a start of 0 and a slope of 1 hold them."""
    counts = said["weight"] > 0
    link = np.zeros(counts.shape)
    link[:, 0] = 1
    x, y, weight = said["score"][counts], link[counts], (said["weight"] / said["weight"][:, :1])[counts]

    def goal(b):
        s = b[0] + b[1] * x
        r = weight * (1 / (1 + np.exp(-s)) - y)
        return ((weight * np.logaddexp(0, np.where(y > 0, -s, s))).sum() + b[0] ** 2 + (b[1] - 1) ** 2,
                np.array([r.sum() + 2 * b[0], r @ x + 2 * (b[1] - 1)]))
    return minimize(goal, np.array([0.0, 1.0]), jac=True, method="BFGS", options={"gtol": 1e-9}).x


def logistic_alone(said, z):
    """With the first loss alone lines are a logistic regression: scikit-learn has the twin's minimum."""
    alone = said | {"stands": np.eye(1, said["size"]).repeat(said["groups"], 0)}
    counts = said["weight"].ravel() > 0
    link = np.zeros(said["weight"].shape, int)
    link[:, 0] = 1
    model = LogisticRegression(C=1 / said["ridge"], tol=1e-10, max_iter=10000)
    model.fit(z[counts], link.ravel()[counts], sample_weight=said["weight"].ravel()[counts])
    return np.abs((model.decision_function(z) - fit_lines(alone, z).ravel())[counts]).max()


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    said = load(sys.argv[1])
    z, b = scaled(said), bins(said)
    from_file = np.array([said["step"][j][b[j]] for j in range(said["curves"])]).sum(0).reshape(said["score"].shape)
    found = {"scikit-learn's logistic regression and the twin's lines": (logistic_alone(said, z), 1e-4),
             "lines": (np.abs(fit_lines(said, z) - said["lines_score"]).max(), 1e-5),
             "steps": (np.abs(boost(said, b, said["lines_score"]) - said["score"]).max(), 1e-5),
             "steps as they are kept": (np.abs(said["lines_score"] + from_file - said["score"]).max(), 1e-5),
             "slope and start": (np.abs(calibrated(said) - said["calibration"]).max(), 1e-5)}
    for what, (distance, most) in found.items():
        print("%s: %.1e%s" % (what, distance, "" if distance <= most else " FAILED"))
    return int(any(not distance <= most for distance, most in found.values()))


if __name__ == "__main__":
    sys.exit(main())
