// Joint angles of healthy adults over the stride, which the page draws behind those of a person.
//
// Source: C. A. Fukuchi, R. K. Fukuchi, M. Duarte, A public dataset of overground and treadmill walking kinematics and
// kinetics in healthy individuals, PeerJ 6:e4640, 2018, doi 10.7717/peerj.4640; data: doi 10.6084/m9.figshare.5722711,
// CC BY 4.0. Files WBDS01 ... WBDS24 walkT05ang.txt, columns (R|L)(Hip|Knee|Ankle)AngleZ: joint angles of Visual3D,
// 0 ... 100 % from strike to strike of the same foot. People: the 24 young adults of the 42, 10 women and 14 men, 21 to
// 37 years (27.6 ± 4.4), barefoot on a treadmill at the speed that they chose over ground, 1.24 ± 0.15 m/s
// (WBDSinfo.xlsx). The older ones are left out.
// Reduced: mean of both legs of a person, then mean and standard deviation (n − 1) over people, as tabulated at every
// 1 % with five decimals in src/domain/data/gaitReference.json of github.com/VIONWILLIAMS/EXO-Forge-Studio (fd4b656).
// Here every second value with one decimal, nothing smoothed or shifted.
// Signs: flexion of hip and knee and dorsiflexion are positive, as on the page. Zeros differ: the ankle's is that of the
// source's foot, and the hip angle is relative to the source's pelvis, which leans 10° forward on average.

import type { Spread } from "./gait";

/** Who they are, and how fast [m/s]. */
export const NORMS_OF = "24 healthy adults (21 to 37 years) who walked barefoot on a treadmill at the speed they chose, 1.24 ± 0.15 m/s (Fukuchi, Fukuchi, Duarte, PeerJ 6:e4640, 2018; data CC BY 4.0)";

/** By title of the chart: mean and 1 standard deviation [deg] at 0, 2, ... 100 % of the stride. */
export const NORMS: Record<string, Spread> = {
  "Hip flexion": {
    mean: [29.9, 29.6, 29.2, 28.8, 28.5, 27.9, 26.5, 24.4, 22.2, 20, 17.9, 15.9, 13.9, 11.7, 9.6, 7.5, 5.5, 3.7, 2.1, 0.6, -0.9, -2.4, -3.8, -5.1, -6.2, -7.1, -7.8, -8.1, -7.8, -6.6, -4.6, -1.9, 1.5, 5.2, 9.1, 13.1, 16.9, 20.2, 23.1, 25.5, 27.6, 29.4, 30.8, 31.8, 32.3, 32.3, 31.9, 31.2, 30.5, 30.1, 29.9],
    sd: [6.4, 6.5, 6.7, 6.8, 7, 7.2, 7.3, 7.2, 7.2, 7.1, 7.1, 7.1, 7, 6.9, 6.8, 6.7, 6.6, 6.7, 6.7, 6.8, 6.8, 6.8, 6.7, 6.6, 6.6, 6.6, 6.6, 6.7, 6.9, 7.1, 7.2, 7.3, 7.3, 7.2, 7.2, 7, 6.9, 6.8, 6.7, 6.7, 6.6, 6.6, 6.6, 6.6, 6.6, 6.6, 6.5, 6.4, 6.4, 6.4, 6.4],
  },
  "Knee flexion": {
    mean: [0.7, 3.2, 5.7, 8.2, 11.5, 14.4, 15.8, 15.8, 15.2, 14.3, 13.4, 12.3, 11.1, 9.8, 8.5, 7.2, 6.1, 5.2, 4.4, 3.8, 3.4, 3.3, 3.5, 4.1, 5.4, 7.2, 9.6, 12.8, 16.9, 22.3, 28.9, 36.1, 43.4, 50, 55.4, 59.3, 61.5, 62.3, 61.5, 59.4, 55.9, 51.3, 45.6, 38.8, 31.2, 22.9, 14.7, 7.4, 2.2, -0.1, 0.7],
    sd: [3.3, 3.3, 3.3, 3.6, 4, 4.2, 4.2, 4.1, 4, 4, 4, 3.9, 3.9, 3.8, 3.8, 3.8, 3.8, 3.8, 3.9, 3.9, 3.9, 3.9, 3.9, 3.9, 3.8, 3.8, 3.9, 4.1, 4.3, 4.6, 4.9, 5, 5, 4.8, 4.5, 4.1, 3.8, 3.6, 3.7, 4, 4.3, 4.8, 5.1, 5.4, 5.6, 5.5, 5.1, 4.5, 3.8, 3.3, 3.3],
  },
  "Ankle dorsiflexion": {
    mean: [1.5, 0.6, -2.2, -4.1, -3.5, -1.4, 0.7, 2.4, 3.9, 5, 6, 6.8, 7.5, 8, 8.5, 8.9, 9.3, 9.8, 10.2, 10.7, 11.1, 11.5, 11.7, 11.8, 11.6, 11, 9.8, 7.7, 4.4, -0.2, -5.5, -10.3, -13.2, -13.3, -11.3, -8.2, -5.1, -2.4, 0, 2, 3.7, 4.9, 5.5, 5.6, 5.1, 4, 2.8, 1.7, 1.3, 1.3, 1.5],
    sd: [2.4, 2.4, 2.4, 2.3, 2.2, 2.2, 2.2, 2.2, 2.2, 2.2, 2.2, 2.1, 2.1, 2, 2.1, 2.2, 2.3, 2.5, 2.8, 3.1, 3.4, 3.6, 3.9, 4.1, 4.2, 4.3, 4.4, 4.6, 4.9, 5.3, 5.4, 5.3, 5.5, 6.1, 6.4, 5.9, 5.1, 4.4, 3.9, 3.4, 2.9, 2.6, 2.3, 2, 1.8, 1.7, 1.9, 2.1, 2.4, 2.4, 2.4],
  },
};
