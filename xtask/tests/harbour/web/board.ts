export interface Arrival {
  ship: string;
  hour: number;
}

/** Arrivals of the next hours. */
export function upcoming(arrivals: Arrival[], now: number): Arrival[] {
  return arrivals.filter((arrival) => arrival.hour >= now);
}
