// Keeps answers for a while. It does not keep errors: the next call sends the request again.
export class Kept<T> {
  private readonly all = new Map<string, Promise<T>>();

  constructor(private readonly ms: number) {}

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const old = this.all.get(key);
    if (old) return old;
    const found = ask();
    this.keep(key, found);
    return found;
  }

  keep(key: string, found: Promise<T>): void {
    this.all.set(key, found);
    const forget = () => {
      if (this.all.get(key) === found) this.all.delete(key);
    };
    found.then(() => setTimeout(forget, this.ms), forget);
  }

  clear(): void {
    this.all.clear();
  }
}
