"""Other estimators of orientation: rates [rad/s], forces [m/s^2] and fields (or None) in, quaternions (w first, world z up) out."""

import pathlib

import numpy as np

RELATIVE = ("VQF 6D", "riann")  # have no north


def whole(values):
    return None if values is None else np.ascontiguousarray(values, float)


def vqf(kind):
    import vqf as package

    def estimate(gyro, acc, mag, rate):
        if kind == "offline":
            return package.offlineVQF(whole(gyro), whole(acc), whole(mag), 1.0 / rate)["quat6D" if mag is None else "quat9D"]
        found = package.VQF(1.0 / rate).updateBatch(whole(gyro), whole(acc), whole(mag) if kind == "9D" else None)
        return found["quat9D" if kind == "9D" and mag is not None else "quat6D"]

    return estimate


def qmt():
    import qmt as package

    def estimate(gyro, acc, mag, rate):
        return package.oriEstIMU(whole(gyro), whole(acc), whole(mag), {"Ts": 1.0 / rate})

    return estimate


def riann():
    import riann as package
    from riann.riann import RIANN

    weights = pathlib.Path(package.__file__).with_name("riann.onnx")  # 0.2.0 looks for it elsewhere

    def estimate(gyro, acc, _, rate):
        network = RIANN(str(weights))
        network.set_sampling_rate(rate)
        found = network.predict_sequence(np.asarray(acc, np.float32), np.asarray(gyro, np.float32))
        return np.asarray(found[0] if isinstance(found, tuple) else found, float).reshape(-1, 4)

    return estimate


PEERS = {"VQF 6D": lambda: vqf("6D"), "VQF 9D": lambda: vqf("9D"), "VQF offline": lambda: vqf("offline"), "qmt": qmt, "riann": riann}


def installed():
    """Estimators by name, and the names of those that do not load with the reason."""
    found, missing = {}, {}
    for name, make in PEERS.items():
        try:
            estimate = make()
            estimate(np.zeros((9, 3)), np.tile([0.0, 0.0, 9.81], (9, 1)), np.tile([0.0, 20.0, -40.0], (9, 1)), 100.0)
            found[name] = estimate
        except ImportError as problem:
            missing[name] = str(problem).split("(")[0].strip()
    return found, missing
